"""Kernels in JAX: answers and derivatives beside mathematics and JAX's own, through every transformation."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

jax = pytest.importorskip("jax")

import jax.numpy as jnp
from jax.test_util import check_grads

from enzyme_py.bridges import jax_ffi
from enzyme_py.bridges.jax import wrap


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


WAYS = [True, False] if jax_ffi.is_there() else [False]
both_ways = pytest.mark.parametrize("ffi", WAYS, ids=lambda way: "ffi" if way else "callback")
X = np.array([0.3, 0.7, 1.1, 1.4])


def sums(x, a):
    """A recurrence: y_i = x_i sin(a (x_0 + ... + x_i))."""
    y = np.empty_like(x)
    total = 0.0
    for i in range(x.size):
        total += x[i] * a
        y[i] = np.sin(total) * x[i]
    return y


def sums_of_jax(x, a):
    return jnp.sin(jnp.cumsum(x * a)) * x


@pytest.fixture(scope="module")
def f():
    return wrap(sums)


def close(found, expected, tolerance=1e-13):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert one.dtype == other.dtype
        assert np.allclose(one, other, rtol=tolerance, atol=tolerance)


def test_a_compiler_is_found_where_there_is_one():
    import shutil

    assert jax_ffi.is_there() == bool(shutil.which("cc"))


def test_values(f):
    by_hand = np.sin(2.0 * np.cumsum(X)) * X
    assert np.allclose(f(X, 2.0), by_hand, rtol=1e-15, atol=0)
    assert np.array_equal(jax.jit(f)(X, 2.0), f(X, 2.0))


@pytest.mark.parametrize("jitted", [False, True])
def test_gradients_beside_jaxs_own(f, jitted):
    def gradient(g):
        made = jax.grad(lambda x, a: (g(x, a) ** 2).sum(), argnums=(0, 1))
        return (jax.jit(made) if jitted else made)(X, 2.0)

    close(gradient(f), gradient(sums_of_jax))


def test_tangents_beside_jaxs_own(f):
    tangents = (np.arange(4.0), 0.5)
    close(jax.jvp(f, (X, 2.0), tangents), jax.jvp(sums_of_jax, (X, 2.0), tangents))


def test_a_tangent_that_is_its_primal(f):
    def twice(g):
        moved = jax.jit(lambda x: jax.jvp(lambda y: g(y, 2.0), (x,), (x,))[1])
        return moved(X), jax.jit(jax.grad(lambda x: moved(x).sum()))(X), jax.jvp(moved, (X,), (X,))

    close(twice(f), twice(sums_of_jax))


def test_a_cotangent_that_is_an_argument(f):
    def back(g):
        return jax.jit(lambda x: jax.vjp(lambda y: g(y, 2.0), x)[1](x)[0])

    close(back(f)(X), back(sums_of_jax)(X))
    close(
        jax.grad(lambda x: back(f)(x).sum())(X), jax.grad(lambda x: back(sums_of_jax)(x).sum())(X)
    )


def test_tangents_of_some_arguments(f):
    close(
        jax.jvp(lambda x: f(x, 2.0), (X,), (np.ones(4),)),
        jax.jvp(lambda x: sums_of_jax(x, 2.0), (X,), (np.ones(4),)),
    )
    close(jax.jacfwd(f, argnums=1)(X, 2.0), jax.jacfwd(sums_of_jax, argnums=1)(X, 2.0))


@both_ways
@pytest.mark.parametrize("modes", [("fwd",), ("rev",)])
def test_check_grads_to_second_order(ffi, modes):
    check_grads(wrap(sums, ffi=ffi), (X, 2.0), order=2, modes=modes)


def test_hessians(f):
    close(
        jax.hessian(lambda x: f(x, 2.0).sum())(X),
        jax.hessian(lambda x: sums_of_jax(x, 2.0).sum())(X),
    )
    cube = wrap(lambda x: x**3)
    third = jax.grad(jax.grad(jax.grad(cube)))
    assert float(third(2.0)) == 6.0


BATCH = np.stack([X, X + 1.0, 2.0 * X])
FACTORS = np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_vmap(f, axes):
    given = (BATCH if axes[0] == 0 else X, FACTORS if axes[1] == 0 else 2.0)
    close(jax.vmap(f, axes)(*given), jax.vmap(sums_of_jax, axes)(*given))


@both_ways
def test_vmap_of_a_gradient(ffi):
    def each(g):
        return jax.vmap(jax.grad(lambda x: g(x, 2.0).sum()))(BATCH)

    close(each(wrap(sums, ffi=ffi)), each(sums_of_jax))


def test_vmap_of_another_axis(f):
    close(
        jax.vmap(f, (1, None), 1)(BATCH.T, 2.0), jax.vmap(sums_of_jax, (1, None), 1)(BATCH.T, 2.0)
    )


def test_vmap_in_vmap(f):
    def table(g):
        return jax.vmap(jax.vmap(g, (None, 0)), (0, None))(BATCH, FACTORS)

    close(table(f), table(sums_of_jax))


def test_vmap_and_grad_in_both_orders(f):
    def of_each(g):
        return jax.vmap(jax.grad(lambda x, a: (g(x, a) ** 2).sum(), argnums=(0, 1)), (0, None))(
            BATCH, 2.0
        )

    def of_all(g):
        return jax.grad(
            lambda x, a: (jax.vmap(lambda one: g(one, a))(x) ** 2).sum(), argnums=(0, 1)
        )(BATCH, 2.0)

    close(of_each(f), of_each(sums_of_jax))
    close(of_all(f), of_all(sums_of_jax))


def test_hessians_of_a_batch(f):
    def each(g):
        return jax.jit(jax.vmap(jax.hessian(lambda x: g(x, 2.0).sum())))(BATCH)

    close(each(f), each(sums_of_jax))


def test_scan(f):
    def rolled(g):
        def step(state, _):
            state = g(state, 0.7)
            return state, state.sum()

        return jax.jit(jax.grad(lambda x: jax.lax.scan(step, x, None, length=5)[1].sum()))(X)

    close(rolled(f), rolled(sums_of_jax))


def test_remat_and_cond(f):
    def either(g):
        def branch(x):
            return jax.lax.cond(x[0] > 0, lambda y: g(y, 2.0), lambda y: y, x).sum()

        return jax.grad(jax.checkpoint(branch))(X), jax.grad(branch)(-X)

    close(either(f), either(sums_of_jax))


def both(a, x):
    return a @ x, np.sum(x * x)


@both_ways
def test_several_results_and_matrices(ffi):
    def of_jax(a, x):
        return a @ x, jnp.sum(x * x)

    def gradient(g):
        def total(a, x):
            first, second = g(a, x)
            return (first**2).sum() * second

        return jax.grad(total, argnums=(0, 1))(np.arange(12.0).reshape(3, 4), X)

    close(gradient(wrap(both, ffi=ffi)), gradient(of_jax))


def power(x, count, turned):
    y = x.copy()
    for _ in range(count):
        y = y * x
    return -y if turned else y


@both_ways
def test_integers_and_flags_have_no_derivative(ffi):
    g = wrap(power, ffi=ffi)
    found = jax.grad(lambda x: g(x, 2, True).sum())(X)
    assert np.allclose(found, -3.0 * X**2, rtol=1e-14)
    check_grads(lambda x: g(x, 2, False), (X,), order=2, modes=("rev",))


def test_float32():
    g = wrap(sums)
    x = X.astype(np.float32)
    found = jax.grad(lambda x: g(x, jnp.float32(2.0)).sum())(x)
    assert found.dtype == jnp.float32
    assert np.allclose(found, jax.grad(lambda x: sums_of_jax(x, 2.0).sum())(X), rtol=1e-5)


def cube(z):
    return z**3 * (1.0 + 2.0j)


@both_ways
def test_complex_numbers_follow_jaxs_convention(ffi):
    z = np.array([1.0 + 2.0j, -0.5 + 0.3j])

    def gradients(g):
        of_real = jax.grad(lambda z: g(z).real.sum())
        return (
            of_real(z),
            jax.grad(lambda z: g(z).sum(), holomorphic=True)(z),
            jax.jvp(g, (z,), (z * 1j,)),
            jax.jvp(of_real, (z,), (z * 1j,)),
            jax.grad(lambda z: (of_real(z) * z).imag.sum())(z),
        )

    close(gradients(wrap(cube, ffi=ffi)), gradients(cube))


def test_captured_arrays():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    scale = 0.5
    g = wrap(lambda x: scale * np.sum(weights * x * x))
    assert np.allclose(jax.grad(g)(X), weights * X, rtol=1e-15)


@both_ways
def test_shapes_that_are_not_as_said(ffi):
    """Not even where NumPy would stretch one to the other."""
    f = wrap(lambda x: x[:1] * 2.0, ffi=ffi, shapes=lambda x: (4,))
    for call in (f, lambda x: jax.vmap(f)(x[None])):
        with pytest.raises(jax.errors.JaxRuntimeError, match="another shape"):
            jax.block_until_ready(call(X))


def test_more_arguments_than_the_handler_has_places_for():
    """The tangents of forty numbers are eighty arguments."""
    names = [f"a{place}" for place in range(40)]
    many = eval(f"lambda {', '.join(names)}: " + " + ".join(f"{one} * {one}" for one in names))
    found = jax.grad(wrap(many), argnums=tuple(range(40)))(*map(float, range(40)))
    assert np.array_equal(found, 2.0 * np.arange(40))


def test_shapes_that_are_said():
    def padded(x, n):
        y = np.zeros(5)
        if n > 3:
            raise ValueError("too many")
        y[: x.size] = x * n
        return y

    g = wrap(padded, shapes=lambda x, n: (5,))
    assert g(X, 2.0).tolist() == [*(2.0 * X), 0.0]
    assert np.array_equal(jax.grad(lambda x: g(x, 2.0).sum())(X), np.full(4, 2.0))
    wrong = wrap(padded, shapes=lambda x, n: (4,))
    with pytest.raises(Exception, match="another shape"):
        jax.block_until_ready(wrong(X, 2.0))


# -- what goes wrong


def careful(x):
    if x[0] < 0:
        raise ValueError("a negative number")
    return np.sum(x**2)


@both_ways
def test_exceptions_are_jaxs(ffi):
    g = wrap(careful, ffi=ffi)
    for call in (g, jax.jit(g), jax.jit(jax.grad(g)), lambda x: jax.vmap(g)(x[None])):
        with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: a negative number"):
            jax.block_until_ready(call(-X))
        assert np.all(np.isfinite(call(X)))


def test_exceptions_on_ones_are_told():
    def careful(x):
        if x[0] > 0:
            raise ValueError("a positive number")
        return x * x

    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match=r"run on ones.*a positive number(.|\n)*shapes="
    ):
        wrap(careful)(X)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "uint16"])
def test_dtypes_that_are_not_taken(dtype):
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match=f"argument 0 of `sums` is of {dtype}"
    ):
        wrap(sums)(jnp.ones(3, dtype), 1.0)


def test_a_kernel_that_writes_to_its_argument():
    def writes(x):
        x[0] = 1.0
        return np.sum(x)

    with pytest.raises(Exception, match="readonly array"):
        wrap(writes)(X)


def test_no_derivative_by_an_integer_result():
    g = wrap(lambda x: np.array([1, 2]) * x.size)
    assert g(X).tolist() == [4, 8]
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="an integer or a flag, which has no derivative"
    ):
        jax.jvp(g, (X,), (X,))


def test_empty_arrays(f):
    assert f(np.zeros(0), 2.0).shape == (0,)
    assert jax.grad(lambda x: f(x, 2.0).sum())(np.zeros(0)).shape == (0,)


def test_views_and_read_only_arrays(f):
    still = np.repeat(X, 2)[::2]
    still.flags.writeable = False
    assert np.array_equal(f(still, 2.0), f(X, 2.0))
    assert np.array_equal(f(jnp.asarray(BATCH).T[:, 1], 2.0), f(BATCH[1].copy(), 2.0))


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CC", "there-is-no-such-compiler")
    assert jax_ffi._compiled() is None


@pytest.mark.parametrize("given", [{"a": np.ones(4)}, None, "x"])
def test_structures_are_refused_in_words(given):
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match="arguments of their own"):
        jax.jit(lambda x: wrap(lambda x, a: x * a)(x, given))(np.ones(3))
