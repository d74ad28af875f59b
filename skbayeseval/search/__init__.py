"""Reports on hyperparameter searches, with the uncertainty of their scores."""
