"""Cross-validation splits, and the predictions of several estimators on shared splits."""
