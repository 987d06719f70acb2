"""Functions of scipy.special in kernels and jitted code: SciPy's own compiled functions, with a table of derivatives.

    table.py          a row for each function: its arguments, types, and derivatives by them, as expressions of other rows
    expressions.py    the derivative of such an expression, so that the table holds for all orders
    generated.py      the functions that Numba compiles from the table
    linking.py        what stands for a call up to Enzyme
    addresses.py      where SciPy's compiled functions are
    calls.py          how Numba calls them
    reductions.py     logsumexp, softmax and log_softmax, which are Python in SciPy
    overloads.py      what Numba is taught when a program first names one of them

Nothing here is imported, nor scipy.special, before compiled code names one of its functions.
"""
