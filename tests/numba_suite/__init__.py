"""Numba's own tests as kernels: what nobody here wrote.

    python -m tests.numba_suite --folder FOLDER
    python -m tests.numba_suite --folder FOLDER --modules test_linalg,test_ufuncs
    python -m tests.numba_suite --only numba.tests.test_looplifting.TestLoopLifting.test_lift1

Numba brings its tests along. Each is run, and each call of a jitted function that it makes with floats is taken down
(recording.py): the function and copies of its arguments. Then the function is differentiated at those very arguments
(questions.py): the primal bit for bit the plain function's, reverse mode against differences, forward mode against
reverse mode, a second call, arguments untouched, exceptions the same. That happens in a process that may die (worker.py);
what each call came to is a line of a file in FOLDER, where a run goes on (runs.py), and is summed up by verdict and reason
(summary.py).
"""
