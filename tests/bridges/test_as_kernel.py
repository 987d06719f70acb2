"""Functions of PyTorch and JAX called from kernels, with their own derivatives, beside what the libraries give alone."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.1, 0.2, 0.3])


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one, np.asarray(other), rtol=1e-13, atol=1e-13)


# -- PyTorch


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def of_torch(torch):
    from enzyme_py.bridges.torch import as_kernel

    return as_kernel


def test_a_module_of_torch(torch, of_torch):
    """In a loop of a kernel, to second order; its parameters are constant, with what they hold in each call."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh()).double()
    layer = of_torch(network, "float64[:](float64[:])")

    def rolled(x):
        for _ in range(2):
            x = x + 0.1 * layer(x)
        return np.sum(x * x)

    def own(x):
        for _ in range(2):
            x = x + 0.1 * network(x)
        return (x * x).sum()

    x = torch.from_numpy(X)
    with torch.no_grad():
        close([enzyme.hvp(rolled, X, X)], [torch.func.hessian(own)(x) @ x])
        network[0].weight.mul_(3.0)
        close([enzyme.hvp(rolled, X, X)], [torch.func.hessian(own)(x) @ x])
    assert all(one.grad is None for one in network.parameters())


def test_many_types_with_torch(torch, of_torch):
    """Tuples, integers, complex numbers as pairs of reals; a parameter as an argument; what has no floats."""
    network = torch.nn.Linear(3, 1, bias=False).double()

    def mixed(x, weight, n):
        y = torch.func.functional_call(network, {"weight": weight}, x)[0]
        z = x * (1.0 + 2.0j)
        return torch.sin(z) * z, y**n

    signature = "Tuple((complex128[:], float64))(float64[:], float64[:,:], int64)"
    layer = of_torch(mixed, signature, order=1)
    half = of_torch(lambda n: n * 0.5, "float64(int64)")

    def loss(x, weight):
        z, y = layer(x, weight, 3)
        return np.sum(z.real * z.imag) * y * half(3)

    def own(x, weight):
        z, y = mixed(x, weight, 3)
        return (z.real * z.imag).sum() * y * 1.5

    weight = np.array([[1.0, 2.0, 3.0]])
    given = [torch.from_numpy(one).requires_grad_() for one in (X, weight)]
    expected = torch.autograd.grad(own(*given), given)
    close(enzyme.grad(loss, argnums=(0, 1))(X, weight), expected)


def test_what_torch_is_refused(torch, of_torch):
    there = torch.nn.Linear(3, 3, device="meta")
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match=r"`weight` of `Linear` is on meta(.|\n)*\.cpu\(\)"
    ):
        of_torch(there, "float32[:](float32[:])")
    away = of_torch(lambda x: x.to("meta"), "float64[:](float64[:])", order=1)
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match=r"a tensor on meta(.|\n)*y.cpu"):
        away(X)
    turned = of_torch(lambda x: x * 1j, "float64[:](float64[:])", order=1)
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="complex128, and its signature says float64"
    ):
        turned(X)
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match="int64, which is not of floats"):
        of_torch(lambda x: x, "int64(float64)")
    with pytest.raises(enzyme.errors.AnnotationError, match=r"order=3(.|\n)*say 1 or 2"):
        of_torch(lambda x: x, "float64(float64)", order=3)
    with pytest.raises(enzyme.errors.AnnotationError, match="3 is no function"):
        of_torch(3, "float64(float64)")


def test_exceptions_of_torch_arrive(torch, of_torch):
    wide = of_torch(torch.nn.Linear(2, 2).double(), "float64[:](float64[:])", order=1)
    with pytest.raises(RuntimeError, match=r"size mismatch|shapes cannot be multiplied"):
        wide(X)


# -- JAX


@pytest.fixture
def jax():
    library = pytest.importorskip("jax")
    before = library.config.jax_enable_x64
    library.config.update("jax_enable_x64", True)
    yield library
    library.config.update("jax_enable_x64", before)


@pytest.fixture
def of_jax(jax):
    from enzyme_py.bridges.jax import as_kernel

    return as_kernel


@pytest.mark.full
def test_a_function_of_jax(jax, of_jax):
    """To second order, with an integer among the arguments."""
    powers = of_jax(lambda x, n: (x**n).sum() * x, "float64[:](float64[:], int64)")

    def loss(x):
        y = powers(x, 3)
        return np.sum(y * y)

    def own(x):
        y = (x**3).sum() * x
        return (y * y).sum()

    close([enzyme.hvp(loss, X, X)], [jax.hessian(own)(X) @ X])


def test_complex_numbers_with_jax(jax, of_jax):
    """The gradient counts pairs of reals, as everywhere here; JAX's is its conjugate."""
    turned = of_jax(lambda z: jax.numpy.sin(z) * z, "complex128[:](complex128[:])", order=1)
    z = X * (1.0 + 2.0j)

    def own(z):
        return (abs(jax.numpy.sin(z) * z) ** 2).sum()

    found = enzyme.grad(lambda z: np.sum(np.abs(turned(z)) ** 2))(z)
    close([found], [np.conj(jax.grad(own)(z))])


def test_kernels_that_call_jax_within_jax(jax, of_jax):
    from enzyme_py.bridges.jax import wrap

    inner = of_jax(lambda x: jax.numpy.sin(x) * x, "float64[:](float64[:])", order=1)
    outer = wrap(lambda x: np.sum(inner(x) ** 2))
    found = jax.jit(jax.vmap(outer))(np.stack([X, 2.0 * X]))
    close([found], [[np.sum((np.sin(one) * one) ** 2) for one in (X, 2.0 * X)]])


def test_what_jax_is_refused(jax, of_jax):
    same = of_jax(lambda x: x, "float64[:](float64[:])", order=1)
    assert np.array_equal(same(X), X)
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match=r"JAX would take for float32(.|\n)*jax_enable_x64"
    ):
        same(X)
    jax.config.update("jax_enable_x64", True)
    turned = of_jax(lambda x: x * 1j, "float64[:](float64[:])", order=1)
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="complex128, and its signature says float64"
    ):
        turned(X)
    parted = of_jax(lambda x: (x, x), "float64[:](float64[:])", order=1)
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="returned tuple, and its signature says"
    ):
        parted(X)
