"""Kernels in PyTorch: answers and derivatives beside mathematics and PyTorch's own, in autograd, torch.func and torch.compile."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import enzyme_py as enzyme

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode

from enzyme_py.bridges.torch import wrap

X = torch.tensor([0.3, 0.7, 1.1, 1.4], dtype=torch.float64)
A = torch.tensor(2.0, dtype=torch.float64)


def sums(x, a):
    """A recurrence: y_i = x_i sin(a (x_0 + ... + x_i))."""
    y = np.empty_like(x)
    total = 0.0
    for i in range(x.size):
        total += x[i] * a
        y[i] = np.sin(total) * x[i]
    return y


def sums_of_torch(x, a):
    return torch.sin(torch.cumsum(x * a, 0)) * x


@pytest.fixture(scope="module")
def f():
    return wrap(sums)


@pytest.fixture
def compiled():
    """torch.compile without a word of its own, and forgotten behind the test."""
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield lambda function, **options: torch.compile(function, backend="aot_eager", **options)
    torch._dynamo.reset()


def wanted(*tensors):
    return tuple(one.clone().requires_grad_() for one in tensors)


def close(found, expected):
    found, expected = (one if isinstance(one, tuple) else (one,) for one in (found, expected))
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        assert torch.allclose(one, other, rtol=1e-13, atol=1e-13)


def test_values(f):
    by_hand = np.sin(2.0 * np.cumsum(X.numpy())) * X.numpy()
    assert np.allclose(f(X, 2.0).numpy(), by_hand, rtol=1e-15, atol=0)


def test_gradients_beside_pytorchs_own(f):
    x, a = wanted(X, A)
    close(
        torch.autograd.grad((f(x, a) ** 2).sum(), (x, a)),
        torch.autograd.grad((sums_of_torch(x, a) ** 2).sum(), (x, a)),
    )
    (f(x, 2.0) ** 2).sum().backward()
    close(x.grad, torch.autograd.grad((sums_of_torch(x, 2.0) ** 2).sum(), x))


def test_gradcheck(f):
    assert torch.autograd.gradcheck(f, wanted(X, A), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, wanted(X, A), check_fwd_over_rev=True)


def test_opcheck(f):
    torch.library.opcheck(torch.ops.enzyme_py.kernel.default, f.operands(*wanted(X, A)))


def test_the_backward_is_an_operator(f):
    x, a = wanted(X, A)
    seen = []

    class Sees(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    y = f(x, a).sum()
    with Sees():
        y.backward()
    assert "enzyme_py.kernel.default" in seen


def test_higher_orders():
    cube = wrap(lambda x: x**3)
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y = cube(x)
    for expected in (12.0, 12.0, 6.0):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        assert y.item() == expected


def test_hessians(f):
    x = X
    close(
        torch.autograd.functional.hessian(lambda x: f(x, 2.0).sum(), x),
        torch.autograd.functional.hessian(lambda x: sums_of_torch(x, 2.0).sum(), x),
    )
    close(
        torch.func.hessian(lambda x: f(x, 2.0).sum())(x),
        torch.func.hessian(lambda x: sums_of_torch(x, 2.0).sum())(x),
    )


BATCH = torch.stack([X, X + 1.0, 2.0 * X])
FUNCTIONAL = {
    "grad": lambda g: torch.func.grad(lambda x: g(x, 2.0).sum())(X),
    "vjp": lambda g: torch.func.vjp(g, X, A)[1](torch.ones(4, dtype=torch.float64)),
    "jvp": lambda g: torch.func.jvp(g, (X, A), (X, A))[1],
    "jvp by one": lambda g: torch.func.jvp(lambda a: g(X, a), (A,), (A,))[1],
    "jacrev": lambda g: torch.func.jacrev(g, argnums=(0, 1))(X, A),
    "jacfwd": lambda g: torch.func.jacfwd(g, argnums=(0, 1))(X, A),
    "jvp of grad": lambda g: torch.func.jvp(torch.func.grad(lambda x: g(x, 2.0).sum()), (X,), (X,))[
        1
    ],
    "grad of jvp": lambda g: torch.func.grad(
        lambda x: torch.func.jvp(lambda y: g(y, 2.0), (x,), (X,))[1].sum()
    )(X),
    "vmap": lambda g: torch.vmap(g, (0, None))(BATCH, A),
    "vmap of another axis": lambda g: torch.vmap(lambda x: g(x, A), 1, 1)(BATCH.T),
    "vmap in vmap": lambda g: torch.vmap(torch.vmap(g, (None, 0)), (0, None))(
        BATCH, torch.stack([A, 2 * A])
    ),
    "vmap of grad": lambda g: torch.vmap(torch.func.grad(lambda x: g(x, 2.0).sum()))(BATCH),
    "grad of vmap": lambda g: torch.func.grad(lambda a: torch.vmap(lambda x: g(x, a))(BATCH).sum())(
        A
    ),
}


@pytest.mark.parametrize("way", FUNCTIONAL)
def test_torch_func(f, way):
    """Of what `wrap` returns, and of the operator itself."""
    expected = FUNCTIONAL[way](sums_of_torch)
    close(FUNCTIONAL[way](f), expected)
    close(FUNCTIONAL[way](lambda x, a: bare(f, x, a)), expected)


def bare(layer, *arguments):
    """The operator without its wrapper."""
    return torch.ops.enzyme_py.kernel(*layer.operands(*arguments))[0]


def test_forward_mode_without_torch_func(f):
    """The wrapper has it; of the operator itself PyTorch would drop the tangent."""

    def tangent(y):
        return torch.autograd.forward_ad.unpack_dual(y).tangent

    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(X, X)
        close(tangent(f(x, A)), tangent(sums_of_torch(x, A)))
        with pytest.raises(enzyme.errors.UnsupportedTypeError, match="would drop the tangent"):
            bare(f, x, A)


# -- torch.compile


def test_compiled(f, compiled):
    def loss(g):
        def of(x, a):
            return (g(x * 2.0, a) ** 2).sum()

        return of

    x, a = wanted(X, A)
    whole = compiled(loss(f), fullgraph=True)
    close(
        torch.autograd.grad(whole(x, a), (x, a)),
        torch.autograd.grad(loss(sums_of_torch)(x, a), (x, a)),
    )


def test_compiled_for_other_shapes(f, compiled):
    whole = compiled(f, dynamic=True)
    for count in (3, 4, 7):
        x = torch.linspace(0.0, 1.0, count, dtype=torch.float64)
        close(whole(x, A), sums_of_torch(x, A))


def test_compiled_vmap(f, compiled):
    close(
        compiled(torch.vmap(f, (0, None)), fullgraph=True)(BATCH, A),
        torch.vmap(sums_of_torch, (0, None))(BATCH, A),
    )


@pytest.mark.parametrize("way", ["jvp by one", "jacfwd", "jvp of grad", "vmap of grad"])
def test_torch_func_within_compiled_code(f, compiled, way):
    close(compiled(lambda: FUNCTIONAL[way](f), fullgraph=True)(), FUNCTIONAL[way](sums_of_torch))


def test_tangents_that_are_made_within_compiled_code(f, compiled):
    def pushed(x):
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, x)
            return torch.autograd.forward_ad.unpack_dual(f(dual, A)).tangent

    with pytest.raises(Exception, match="would drop the tangent"):
        compiled(pushed)(X)


def test_tangents_that_come_from_outside_of_compiled_code(f, compiled):
    whole = compiled(lambda x: f(x, 2.0))
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(X, torch.ones_like(X))
        with pytest.raises(Exception, match="would drop the tangent"):
            whole(x)


# -- memory, types, kinds


def test_memory_is_not_copied():
    def where(x):
        return np.array([x.ctypes.data]), np.zeros(3)

    layer = wrap(where)
    found, made = layer(X)
    assert found.item() == X.data_ptr()
    assert made.untyped_storage().nbytes() == 24
    strided = torch.stack([X, X], dim=1)[:, 0]
    assert layer(strided)[0].item() != strided.data_ptr()


def test_results_are_not_the_arguments():
    same = wrap(lambda x: x)
    found = same(X)
    assert found.data_ptr() != X.data_ptr()
    part = wrap(lambda x: x[::2])(X)
    assert part.tolist() == X[::2].tolist()
    assert wrap(lambda x: x.T)(BATCH).tolist() == BATCH.T.tolist()


def test_results_do_not_share_memory():
    def twice(x):
        y = x * 2.0
        return y, y[1:]

    first, second = wrap(twice)(X)
    first.zero_()
    assert torch.equal(second, 2.0 * X[1:])


def test_graphs_that_are_written_down_have_the_operator(f):
    """Not the numbers that it gave then."""
    make_fx = torch.fx.experimental.proxy_tensor.make_fx
    for written in (
        make_fx(lambda x: f(x, A), pre_dispatch=True)(X),
        make_fx(lambda x: f(x, A))(X),
    ):
        close(written(2.0 * X), sums_of_torch(2.0 * X, A))


def test_one_tensor_twice_and_one_number_many_times(f):
    """The same memory as two arguments, parts of it that overlap, and a number that is expanded."""
    both = wrap(lambda x, y: x * y * y)
    x, a = wanted(X, A)
    for given in ((x, x), (x[:3], x[1:]), (x.flip(0), x), (a.expand(4), x)):
        (found,) = torch.autograd.grad(both(*given).sum(), x)
        (own,) = torch.autograd.grad((given[0] * given[1] ** 2).sum(), x)
        close(found, own)
    (found,) = torch.autograd.grad(f(a.expand(4), 2.0), a, A.expand(4))
    close(found, torch.autograd.grad(sums_of_torch(a.expand(4), 2.0), a, A.expand(4))[0])


def test_arguments_that_change_before_backward_are_refused(f):
    (x,) = wanted(X)
    moved = x * 1.0
    y = f(moved, 2.0).sum()
    moved += 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_several_results():
    def both(m, x):
        return m @ x, np.sum(x * x)

    def of_torch(m, x):
        return m @ x, (x * x).sum()

    m = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    layer = wrap(both)

    def gradients(g, which):
        given = wanted(m, X)
        first, second = g(*given)
        total = {
            "both": (first**2).sum() * second,
            "first": (first**2).sum(),
            "second": second * 1.0,
        }[which]
        return torch.autograd.grad(total, given, allow_unused=True, materialize_grads=True)

    for which in ("both", "first", "second"):
        close(gradients(layer, which), gradients(of_torch, which))


def test_integers_and_flags_have_no_derivative():
    def power(x, count, turned):
        y = x.copy()
        for _ in range(count):
            y = y * x
        return -y if turned else y

    (x,) = wanted(X)
    close(torch.autograd.grad(wrap(power)(x, 2, True).sum(), x)[0], -3.0 * X**2)


@pytest.mark.parametrize(("dtype", "digits"), [(torch.float32, 1e-6), (torch.complex128, 1e-13)])
def test_other_dtypes(dtype, digits):
    def square(x):
        return x * x

    x = X.to(dtype).requires_grad_()
    weights = torch.arange(4.0).to(dtype)
    layer = wrap(square)
    (found,) = torch.autograd.grad(((layer(x) * weights).abs() ** 2).sum(), x)
    (own,) = torch.autograd.grad(((x * x * weights).abs() ** 2).sum(), x)
    assert found.dtype == own.dtype
    assert torch.allclose(found, own, rtol=digits)


def test_complex_gradients_follow_pytorchs_convention():
    z = torch.tensor([1.0 + 2.0j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    cube = wrap(lambda z: z**3 * (1.0 + 2.0j))
    (found,) = torch.autograd.grad(cube(z).real.sum(), z)
    (own,) = torch.autograd.grad((z**3 * (1.0 + 2.0j)).real.sum(), z)
    assert torch.allclose(found, own, rtol=1e-13)


# -- what goes wrong


def test_no_gradient_under_no_grad(f):
    (x,) = wanted(X)
    with torch.no_grad():
        y = f(x, 2.0)
        inner = torch.func.grad(lambda x: f(x, 2.0).sum())(x)
    assert not y.requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        y.sum().backward()
    close(inner, FUNCTIONAL["grad"](sums_of_torch))  # what asks within is given
    with torch.inference_mode():
        assert torch.equal(f(X, 2.0), y)


def test_memory_of_other_kinds(f):
    strided = torch.stack([X, X], dim=1)[:, 0]
    assert torch.equal(f(strided, 2.0), f(X, 2.0))
    still = X.numpy().copy()
    still.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, on such memory
        assert torch.equal(f(torch.from_numpy(still), 2.0), f(X, 2.0))
    (none,) = wanted(torch.zeros(0, dtype=torch.float64))
    assert f(none, 2.0).shape == (0,)
    assert torch.autograd.grad(f(none, 2.0).sum(), none)[0].shape == (0,)
    lazily = torch.complex(X, X).conj()
    assert torch.equal(wrap(lambda z: z * 1.0)(lazily), lazily.resolve_conj())
    assert torch.allclose(f(torch.complex(X, -X).conj().imag, 2.0), f(X, 2.0))


def test_a_kernel_that_writes_to_its_argument():
    def writes(x):
        x[0] = 1.0
        return np.sum(x)

    with pytest.raises(Exception, match="readonly array"):
        wrap(writes)(X)


def test_exceptions_arrive_as_they_were_raised(compiled):
    def careful(x):
        if x[0] < 0:
            raise ValueError("a negative number")
        return np.sum(x**2)

    layer = wrap(careful)
    with pytest.raises(ValueError, match="a negative number"):
        layer(-X)
    with pytest.raises(ValueError, match="a negative number"):
        compiled(layer)(-X)


class OnGpu(torch.Tensor):
    """A tensor that says that it is on a GPU."""

    @property
    def device(self):
        return torch.device("cuda:0")


def test_tensors_on_a_gpu(f):
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError,
        match=r"argument 0 of `sums` is on cuda:0(.|\n)*x\.cpu\(\)",
    ):
        f(X.as_subclass(OnGpu), 2.0)


def quantised(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, which gives them up
        return torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8)


ODD = {
    "float16": (torch.Tensor.half, "is of float16"),
    "bfloat16": (torch.Tensor.bfloat16, "is of bfloat16"),
    "uint16": (lambda x: x.to(torch.uint16), "is of uint16"),
    "quantised": (quantised, "is of qint8"),
    "sparse": (torch.Tensor.to_sparse, r"is laid out as torch.sparse_coo(.|\n)*x\.to_dense\(\)"),
}


@pytest.mark.parametrize("kind", ODD)
def test_tensors_that_are_not_taken(f, kind):
    odd, message = ODD[kind]
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match=f"argument 0 of `sums` {message}"):
        f(odd(X), 2.0)


def test_integers_of_eight_bits(f):
    half = wrap(lambda n: n * 0.5)
    assert half(torch.tensor([3, -4], dtype=torch.int8)).tolist() == [1.5, -2.0]


def test_meta_tensors_have_shapes(f):
    assert f(X.to("meta"), A.to("meta")).shape == (4,)


def test_a_layer_in_a_network(compiled):
    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4, dtype=torch.float64)
            self.physics = wrap(sums)

        def forward(self, x):
            return self.physics(self.linear(x), 0.5).sum()

    torch.manual_seed(0)
    network = Network()
    network(X).backward()
    found = network.linear.weight.grad.clone()
    network.zero_grad()
    compiled(network)(X).backward()
    close(network.linear.weight.grad, found)
    network.zero_grad()
    network.physics = sums_of_torch
    network(X).backward()
    close(found, network.linear.weight.grad)


@pytest.mark.parametrize("given", [{"a": torch.ones(4)}, None, "x"])
def test_structures_are_refused_in_words(given):
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match="arguments of their own"):
        wrap(sums)(X, given)
