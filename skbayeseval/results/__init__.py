"""What can be asked of a posterior: answers, words, tables and files."""
