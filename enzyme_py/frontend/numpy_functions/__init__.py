"""Functions of NumPy and SciPy that are lowered our way."""
