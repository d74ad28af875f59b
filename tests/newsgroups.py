"""The papers' four classifiers on 20 Newsgroups, by name; joblib must find the function here."""


def predict(data_home):
    from skbayeseval.reproduce.newsgroups import predict as fit_and_predict

    found = fit_and_predict(data_home)
    return {"truth": found.truth, **found.predictions}
