"""HTML for notebooks and reports: text, tables, figures and whole pages, without dependencies."""
