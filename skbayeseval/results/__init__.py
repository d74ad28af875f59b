"""Results: answers, text, tables, figures and files computed from a posterior."""
