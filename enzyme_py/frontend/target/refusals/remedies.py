"""What to write in the place of what Numba does not compile: `remedy_of(message)`, from the words of its refusal.

Numba says what it lacks, at length, and not what to do. The rows below are tried in their order: a pattern, and the advice
for it. An advice is one line, with code where that says more than words. `tests/snippets/test_remedies.py` has kernels for
the rows that are met most, refused as they stand and right as the advice has it; the other rows are not tested.
"""

from __future__ import annotations

import re

ANY = "the same function must compile with numba.njit; Numba's own message is above"
_RULE = "enzyme.rules.python(f, signature, vjp=...) makes a kernel of a Python function with a derivative that you give"

# Functions of NumPy's and Python's own, by module and name.
_INSTEAD = {
    "numpy.einsum": "write the sum as a product (`a @ b`, np.dot, np.outer, np.sum(a * b, axis)), or as loops",
    "numpy.einsum_path": "write the sum as products or loops",
    "numpy.tensordot": "reshape to matrices and multiply: a.reshape(n, k) @ b.reshape(k, m)",
    "numpy.inner": "np.dot(a, b) of vectors, a @ b.T of matrices",
    "numpy.gradient": "write the differences: (f[2:] - f[:-2]) / (2 * h), and one-sided ones at the ends",
    "numpy.polyval": "Horner's loop: y = 0.0, then y = y * x + c for c in p",
    "numpy.polyfit": "solve the normal equations: np.linalg.lstsq(np.vander(x, degree + 1), y)[0]",
    "numpy.pad": "out = np.zeros(n + 2 * k), then out[k:-k] = x",
    "numpy.meshgrid": "X = x[None, :], Y = y[:, None] in an expression: what is broadcast needs no grid",
    "numpy.block": "np.hstack and np.vstack, or write into slices of np.empty(...)",
    "numpy.vectorize": "call the function in a loop, or of the whole array; numba.vectorize makes a ufunc",
    "numpy.apply_along_axis": "write the loop: for i in range(n): out[i] = f(x[i])",
    "numpy.ndarray": "leave isinstance(x, np.ndarray) out: the type of an argument is known when it is compiled",
    "numpy.errstate": "leave it out: compiled code does not warn",
    "numpy.testing": "test outside of the kernel",
    "numpy.random.default_rng": "make the generator outside, and pass it or what it draws: rng = np.random.default_rng(0)",
    "numpy.random.RandomState": "draw outside, and pass the numbers",
    "numpy.fft": f"{_RULE}; the pull-back of np.fft.fft is its conjugate transpose",
    "math.prod": "np.prod(x), or a loop",
    "math.fsum": "np.sum(x), or sum(x)",
    "math.dist": "math.sqrt(np.sum((p - q)**2))",
    "math.sumprod": "np.dot(p, q)",
    "math.factorial": "math.gamma(n + 1)",
    "math.cbrt": "np.cbrt(x)",
    "collections.defaultdict": "a dict of the kernel's own: d[k] = d.get(k, 0.0) + v",
    "collections.deque": "a list, or an array with two indices",
    "collections.Counter": "a dict of the kernel's own: d[k] = d.get(k, 0) + 1",
    "itertools": "write the loops",
    "time": "measure time outside of the kernel",
    "os": "do it outside of the kernel",
    "sys": "do it outside of the kernel",
    "random": "np.random in a kernel, or draw outside and pass the numbers",
    "copy": "x.copy() of an array",
    "scipy.stats": "write the formula of the density; scipy.special has its functions with derivatives (gammaln, ndtr, ...)",
    "scipy.fft": f"{_RULE}; the pull-back of fft is its conjugate transpose",
    "scipy.linalg": f"np.linalg has inv, solve, cholesky, eigh, svd and others with derivatives; or {_RULE}",
    "scipy.optimize": "enzyme.rules.implicit gives the derivative of a solution by the equation that it solves",
    "scipy.integrate": f"write the quadrature as a loop over nodes; or {_RULE}",
    "scipy.interpolate": "pass knots and coefficients (spline.x, spline.c) and evaluate the polynomial in the kernel",
    "scipy.sparse": "pass data, indices and indptr, and write the loop over rows",
    "scipy.signal": "write the filter as a loop",
    "scipy.spatial": "write the distances: np.sqrt(np.sum((a - b)**2))",
}

_OF_NUMPY = re.compile(r"Use of unsupported NumPy function '([\w.]+)'")
_OF_MODULE = re.compile(r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'")
_IN_SCIPY = re.compile(r"[/\\]site-packages[/\\](scipy[/\\]\w+)[/\\]")
_OF_CLASS = re.compile(r"Untyped global name '([\w.]+)'.*?Cannot determine Numba type of <class '([\w.]+)'>", re.DOTALL)
_OF_STANDARD_LIBRARY = re.compile(r'File "[^"\n]*/python3\.\d+/(\w+)\.py", line')

_ROWS: tuple[tuple[str, str], ...] = (
    (r"_GUFunc", "give a gufunc its output: out = np.zeros(...), then g(a, out) in a line of its own"),
    (
        r"attribute 'at' of type Function\(",
        "write the loop: for i, k in enumerate(indices): x[k] = f(x[k], b[i])",
    ),
    (
        r"TreeAttributes_.* as a callable",
        "what is called of an object whose attributes are read too needs a name: def run(self, x) in its class, and model.run(x)",
    ),
    (r"Cannot cast IntEnum", "take the number out: `c.value` in place of a member `c` of an IntEnum"),
    (
        r"getitem[\s\S]*type\(KernelDispatcher",
        "call the functions under branches: y = f(x) if k == 0 else g(x)",
    ),
    (r"use of yield in a closure", "make a list of a generator expression: sum([v * v for v in x])"),
    (r"Unsupported context manager", "leave the `with` out: compiled code does not warn, and files are opened outside"),
    (r"unsupported opcode \(UNPACK_EX\)", "take the parts by their indices: first, rest = x[0], x[1:]"),
    (r"unsupported opcode \(IMPORT_NAME\)", "import at the top of the module"),
    (r"opcode \((RAISE_VARARGS|RERAISE|LOAD_ASSERTION_ERROR)\)", "raise an exception with constant arguments: raise ValueError('too big')"),
    (r"Variable 'kwargs?' is not defined", "name the parameters in place of **kwargs"),
    (
        r"Variable '(args|\w+)' is not defined\.[\s\S]*\*\w+",
        "name the parameters of a decorator's wrapper, def wrapper(x, y), in place of *args; or name the function that it wraps",
    ),
    (r"Unknown attribute 'add' of type iter", "fill a set in a loop: s = {x[0]}, then s.add(v)"),
    (r"Unsupported use of `dict\(\)`", "write the braces: {'a': x}"),
    (r"'@': inputs must have compatible dimensions", "products are of vectors and matrices: write a loop over the first axis"),
    (r"np\.dot\(\): inputs must have|only supported on (1|2)-D", "products are of vectors and matrices: write a loop over the first axis"),
    (r"(max|min)\(.*key=", "without a key: i = np.argmax(...) of the keys, then x[i]"),
    (r"reduce\(Function\(", "give a first value: functools.reduce(f, x, 1.0), with a function of your own, or write the loop"),
    (r"hypot\(float64, float64, ", "math.sqrt(x * x + y * y + z * z)"),
    (
        r"functools\._lru_cache_wrapper",
        "call a cached function outside and pass what it returns, or name the function that it wraps: f.__wrapped__",
    ),
    (
        r"Untyped global name '\w+'[\s\S]*<class '(dict|list|[\w.]*Namespace)'>",
        "a dict, a list or an object in globals is handed over where the function itself names it: pass it to helpers and inner functions",
    ),
    (r"Untyped global name '\w+'[\s\S]*<class 'tuple'>", "of a tuple in globals with functions, give each function a name of its own"),
    (r"Untyped global name '(input|open)'", "do it outside of the kernel"),
    (r"Invalid reduction function", "functools.reduce needs a function of your own and a first value; of numbers, a loop says the same"),
    (r"lstsq\(.*rcond=none", "leave rcond=None out, which is the default"),
    (r"array\(undefined, 1d", "fill an array: a = np.empty((n, m)), then a[i, j] = ... in loops"),
    (
        r"Type of variable '[^']*' cannot be determined",
        "give a variable its value in a line of its own, on every way to its use, and not within an expression (`:=`)",
    ),
)


def remedy_of(message: str) -> str | None:
    """Return what to write in the place of what a message of Numba's is about; None where that is not known."""
    for pattern, remedy in _ROWS:
        if re.search(pattern, message):
            return remedy
    inside = _OF_STANDARD_LIBRARY.search(message)
    if inside is not None:
        return _instead_of(inside[1])
    named = _OF_NUMPY.search(message)
    if named is not None:
        return _instead_of(named[1])
    named = _OF_MODULE.search(message)
    if named is not None:
        return _instead_of(f"{named[2]}.{named[1]}")
    inside = _IN_SCIPY.search(message)
    if inside is not None:
        return _instead_of(inside[1].replace("/", ".").replace("\\", "."))
    named = _OF_CLASS.search(message)
    return None if named is None else _of_class(named[1], named[2])


def _instead_of(name: str) -> str:
    """Return the advice for a function, or for the module that it is of."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        found = _INSTEAD.get(".".join(parts[:count]))
        if found is not None:
            return found
    return f"Numba does not compile {name}: write it in what it has, or {_RULE}"


def _of_class(name: str, kind: str) -> str | None:
    """Return the advice for an object of a class that Numba has no type for."""
    if kind.startswith(("scipy.", "numpy.")):
        return _INSTEAD.get(".".join(kind.split(".")[:2]), f"pass what `{name}` holds as arrays and numbers; or {_RULE}")
    return None
