"""From data to splits, and from splits to what estimators said in each of them."""
