"""The public functions: from predictions, scores or estimators to a result."""
