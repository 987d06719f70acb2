"""Random numbers where a derivative runs something again, which would draw others: a rule is refused, a kernel warned of."""

from __future__ import annotations

import random
import warnings

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DrawnAgainWarning, RuleError


@enzyme.custom_vjp
def noisy(x):
    return x * random.random()


def noisy_forward(x):
    draw = random.random()
    return x * draw, (draw,)


def noisy_backward(residuals, cotangent):
    return (cotangent * residuals[0],)


noisy.defvjp(noisy_forward, noisy_backward)


@enzyme.custom_vjp
def rounded(x):
    """Up or down at random, straight through."""
    return np.floor(x + random.random())


def rounded_forward(x):
    return rounded(x), ()


def rounded_backward(residuals, cotangent):
    return (cotangent,)


rounded.defvjp(rounded_forward, rounded_backward)


@enzyme.custom_vjp
def weighted(x):
    return np.floor(x + random.random())


def weighted_forward(x):
    result = weighted(x)
    return result, result


def weighted_backward(residual, cotangent):
    return (cotangent * residual,)


weighted.defvjp(weighted_forward, weighted_backward)


@enzyme.custom_jvp
def pushed(x):
    return x * random.random()


@pushed.defjvp
def pushed_rule(primals, tangents):
    draw = random.random()
    return primals[0] * draw, tangents[0] * draw


def square(x):
    return x * x


def drawn_slope(x):
    return 2.0 * x * random.random()


partial = enzyme.rules.partials(square, drawn_slope)


def scale(x, out):
    out[0] = x[0] * random.random()


taped = enzyme.rules.ruled(scale, writes="out")


@enzyme.rules.augmented_primal(taped)
def taped_augmented(config, x, out):
    draw = random.random()
    out[0] = x[0] * draw
    return 0.0, (draw,)


@enzyme.rules.reverse(taped)
def taped_reverse(config, cotangent, tape, arguments, shadows):
    shadows[0][0] += tape[0] * shadows[1][0]
    shadows[1][0] = 0.0
    return None, None


forwarded = enzyme.rules.ruled(scale, writes="out")


@enzyme.rules.forward(forwarded)
def forwarded_rule(config, arguments, tangents):
    draw = random.random()
    arguments[1][0] = arguments[0][0] * draw
    tangents[1][0] = tangents[0][0] * draw
    return 0.0, 0.0


def of_taped(x):
    out = np.zeros(1)
    taped(x, out)
    return out[0]


def of_forwarded(x):
    out = np.zeros(1)
    forwarded(x, out)
    return out[0]


REFUSED = [
    (lambda x: noisy(x), "fwd of `noisy`", "noisy_forward", 2.0),
    (lambda x: weighted(x), "fwd of `weighted`", "weighted_forward", 2.0),
    (lambda x: pushed(x), "the jvp rule of `pushed`", "pushed_rule", 2.0),
    (lambda x: partial(x), "the partial of `square` by `x`", "drawn_slope", 2.0),
    (of_taped, "the augmented_primal rule of `scale`", "taped_augmented", np.ones(1)),
    (of_forwarded, "the forward rule of `scale`", "forwarded_rule", np.ones(1)),
]


@pytest.mark.parametrize(("kernel", "what", "where", "x"), REFUSED)
def test_a_rule_whose_derivative_needs_what_it_draws_is_refused(kernel, what, where, x) -> None:
    with pytest.raises(RuleError) as caught:
        enzyme.gradient(kernel, x)
    message = str(caught.value)
    assert f"{what} draws random numbers" in message
    assert where in message
    assert "pass the draws as an argument" in message


def test_nothing_is_drawn_again_where_the_residuals_hold_nothing() -> None:
    def loss(x):
        y = rounded(x)
        return y * y

    found = set()
    for _ in range(50):
        value, slope = enzyme.value_and_grad(loss)(2.5)
        assert slope == 2.0 * np.sqrt(value)  # of the same draw: value is y squared, slope 2 y
        found.add(value)
    assert found == {4.0, 9.0}


def drawing():
    """Return a kernel of its own: each is warned of once."""

    @enzyme.jit
    def scaled(x):
        return x * random.random()

    return scaled


def scaled_by_the_seed(x):
    np.random.seed(3)  # noqa: NPY002
    return x * np.random.normal()  # noqa: NPY002


def total(x):
    return np.sum(np.exp(x) * random.random())


def summed(kernel):
    def sum_of(x):
        return np.sum(kernel(x * x))

    return sum_of


X = np.ones(2)
SEVERAL_RUNS = [
    (lambda scaled: enzyme.vjp(scaled, X), "its pull-back runs it again"),
    (lambda scaled: enzyme.linearize(scaled, X), "its push-forward runs it again"),
    (lambda scaled: enzyme.jacrev(scaled)(X), "a Jacobian takes several runs"),
    (lambda scaled: enzyme.jacfwd(scaled, chunk=1)(X), "a Jacobian takes several runs"),
    (lambda scaled: enzyme.jacobian(enzyme.Forward, scaled, X), "a Jacobian takes several runs"),
    (lambda scaled: enzyme.hessian(summed(scaled))(X), "a Jacobian takes several runs"),
]


@pytest.mark.parametrize(("run", "why"), SEVERAL_RUNS)
def test_several_runs_of_a_kernel_that_draws_are_warned_of(run, why) -> None:
    with pytest.warns(DrawnAgainWarning, match=why) as caught:
        run(drawing())
    assert caught[0].filename == __file__
    assert "or seed inside the kernel" in str(caught[0].message)


def test_compiled_code_warns_too() -> None:
    scaled = drawing()

    @enzyme.jit
    def pulled(x):
        return enzyme.vjp(scaled, x)[1](x)

    with pytest.warns(DrawnAgainWarning, match="pull-back"):
        pulled(X)


def from_a_generator(generator, x):
    return generator.random() * x


@pytest.mark.parametrize(
    "run",
    [
        lambda f, generator: enzyme.vjp(f, generator, X)[1](X),
        lambda f, generator: enzyme.jacrev(f, argnums=1)(generator, X),
        lambda f, generator: enzyme.jacfwd(f, argnums=1, chunk=1)(generator, X),
    ],
)
def test_several_runs_that_draw_from_a_generator_are_warned_of(run) -> None:
    kernel = numba.njit(lambda generator, x: generator.random() * x)  # a new one: each warns once
    with pytest.warns(DrawnAgainWarning, match="different draws"):
        run(kernel, np.random.default_rng(3))


def test_one_run_draws_from_a_generator_as_the_kernel_does() -> None:
    want = np.random.default_rng(3).random()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, tangent = enzyme.jvp(from_a_generator, (np.random.default_rng(3), X), (None, X))
    assert np.allclose(value, want * X)
    assert np.allclose(tangent, want * X)


def test_one_run_and_seeded_kernels_say_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enzyme.grad(total)(X)
        enzyme.jvp(drawing(), (X,), (X,))
        found = enzyme.jacrev(scaled_by_the_seed)(X)
        value, pull_back = enzyme.vjp(scaled_by_the_seed, X)
    np.testing.assert_array_equal(found, np.diag(value))
    np.testing.assert_array_equal(pull_back(X)[0], value)
