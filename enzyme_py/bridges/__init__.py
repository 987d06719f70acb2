"""Bridges: kernels and their derivatives in other libraries, each of which is optional.

    from enzyme_py.bridges.scipy import objective, residual, system, model

A bridge hands a library its own kind of thing: a function with the derivatives that the library asks for. Where the library
is missing, the import says which extra brings it.
"""
