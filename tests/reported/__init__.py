"""Programs with which users of Enzyme reported wrong derivatives and crashes, in Numba's form: see kernels.py."""
