"""How large a test set has to be: simulation of test sets that are not there yet."""
