"""Libraries that are written with Numba, as kernels: what their own tests call is differentiated at those very arguments.

    python -m tests.libraries quantecon,arch --folder FOLDER
    python -m tests.libraries FOLDER-OF-TESTS --folder FOLDER

A library is named by its package, if its tests are in it, else by the folder of its tests. It is not installed by anything of
ours. pytest runs the tests, a file at a time; what is taken down, and what is asked, is what the suite of Numba's own tests
takes down and asks (tests/numba_suite): calls of jitted functions from Python; and with `--inner` what these call in turn. A library without
tests of such functions is asked by a file of tests that calls them at arguments of ours.
"""
