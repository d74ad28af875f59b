"""The four classifiers of the papers on 20 Newsgroups (Zhang et al. 2016, section 4.2)."""


def predict(data_home):
    from sklearn.datasets import fetch_20newsgroups_vectorized
    from sklearn.naive_bayes import BernoulliNB, MultinomialNB
    from sklearn.svm import LinearSVC

    data = {
        subset: fetch_20newsgroups_vectorized(
            subset=subset,
            remove=("headers", "footers", "quotes"),
            data_home=data_home,
            download_if_missing=False,
        )
        for subset in ("train", "test")
    }
    classifiers = {
        "NB_Bern": BernoulliNB(alpha=1e-14, force_alpha=True),
        "NB_Mult": MultinomialNB(alpha=1e-3),
        "SVM_L1": LinearSVC(C=4, penalty="l1", dual=False, max_iter=20_000, random_state=0),
        "SVM_L2": LinearSVC(C=2, random_state=0),
    }
    predictions = {"truth": data["test"].target}
    for name, classifier in classifiers.items():
        classifier.fit(data["train"].data, data["train"].target)
        predictions[name] = classifier.predict(data["test"].data)
    return predictions
