"""The examples in the order of the gallery: from the first comparison to altering the model."""

QUESTIONS = [
    "plot_first_comparison.py",
    "plot_predictions_made_elsewhere.py",
    "plot_safe_to_ship.py",
    "plot_patients.py",
    "plot_few_positives.py",
    "plot_subgroups.py",
    "plot_ranking_classifiers.py",
    "plot_roc_auc.py",
    "plot_any_metric.py",
    "plot_fraud_costs.py",
    "plot_regressors.py",
    "plot_scores_of_any_kind.py",
    "plot_several_data_sets.py",
    "plot_language_models.py",
    "plot_trusting_cross_validation.py",
    "plot_what_a_search_found.py",
    "plot_planning_a_test_set.py",
    "plot_naive_bayes_against_svm_on_text.py",
    "plot_chunking_with_counts.py",
    "plot_altering_the_model.py",
]
