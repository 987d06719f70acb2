"""Functions of Python as kernels: closures, partial functions, functions as arguments."""
