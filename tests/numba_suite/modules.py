"""The modules of Numba's tests whose functions are asked about, the most fruitful ones first."""

MODULES = (
    *(
        "test_looplifting",
        "test_array_manipulation",
        "test_dyn_array",
        "test_array_reductions",
        "test_linalg",
    ),
    *(
        "test_np_functions",
        "test_mathlib",
        "test_complex",
        "test_ufuncs",
        "test_indexing",
        "test_slices",
    ),
    *(
        "test_fancy_indexing",
        "test_array_methods",
        "test_array_exprs",
        "test_array_iterators",
        "test_array_analysis",
    ),
    *(
        "test_generators",
        "test_closure",
        "test_recursion",
        "test_extending",
        "test_sort",
        "test_np_randomgen",
    ),
)
