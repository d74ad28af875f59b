"""Power analysis and sample size determination by simulation of test sets."""
