"""`checkpoint` and `remat`: less memory for reverse mode."""
