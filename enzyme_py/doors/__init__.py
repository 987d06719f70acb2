"""Doors: finished derivatives that C calls, without Python.

    door = enzyme.cfunc(enzyme.value_and_grad(f), "(float64[::1], float64)")
    door.address       # int32_t door(double *x, int64_t x_0, double a, double *value, ...)

    enzyme.export("libmodel", {"loss_and_slope": (enzyme.value_and_grad(f), "(float64[::1], float64)")})

A door is one C function around a transform, or around a kernel. What it runs is the code that a call from Python runs;
here it only gets a C signature (slots.py), and a status in place of an exception (failures.py).

    signature -> slots.py       the C parameters of arguments and results
              -> lowering.py    a C function around the transform's dispatcher
              -> door.py        its address, and what keeps it alive
              -> exporting.py   the same code as a shared library with a header

**Arguments.** A number comes by value. An array comes as a pointer to its first element, then its sizes, one int64_t
each; it is C-contiguous, and lent for the call. **Results** come behind them: a number is written through a pointer, an array
into memory of the caller, who gives its sizes too. Tuples are written part by part; None is left out.

**Status.** 0 is good, 1 says that the kernel raised an exception, 2 that a result has other sizes than the caller's memory. Within
Python `door.error()` returns the exception. What results hold then is not defined.

**Threads.** A door takes no lock and no Python. Any thread may call it, also those that Python does not know.
"""
