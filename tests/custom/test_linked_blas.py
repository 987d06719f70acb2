"""BLAS that linked code calls: derivatives by hand, where Enzyme's own rules are wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.custom import link_ir
from enzyme_py.errors import DerivativeError, NoDerivativeError, RuleError
from enzyme_py.frontend.external.linked_blas import _NAME
from enzyme_py.rules.blas import PRODUCTS

RNG = np.random.default_rng(8)
ALPHA, BETA = np.array([0.7]), np.array([-1.3])
KINDS = {"t": "uint8[::1]", "i": "int32[::1]", "v": "{}[::1]"}


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """Return what links a routine of Fortran's interface; t is a letter, i an integer, v numbers, all by address."""

    def link(name, kinds, *, number="float64"):
        parameters = ", ".join(f"ptr %p{i}" for i in range(len(kinds)))
        path = tmp_path_factory.mktemp("blas") / f"{name}.ll"
        path.write_text(
            f"declare void @{name}({', '.join(['ptr'] * len(kinds))})\n"
            f"define void @f({parameters}) {{\n  call void @{name}({parameters})\n  ret void\n}}\n"
        )
        return enzyme.link_ir(path, "f", f"void({', '.join(KINDS[kind].format(number) for kind in kinds)})")

    return link


def _letter(one):
    return np.array([ord(one)], np.uint8)


def _count(one):
    return np.array([one], np.int32)


def _chosen(vector, n, step):
    """The numbers of a vector in BLAS's order: from its other end where the increment is negative."""
    return vector[: (n - 1) * abs(step) + 1][::step]


def _spread(numbers, size, step):
    """A vector of this size with the numbers where BLAS has them."""
    whole = np.zeros(size)
    _chosen(whole, len(numbers), step)[:] = numbers
    return whole


# y of alpha op(A) x + beta y, weighed.
@pytest.fixture(scope="module")
def gemv(linked):
    call = linked("dgemv_", "tiivvivivvi")

    def result(alpha, a, x, beta, y, w, trans, m, n, lda, step_x, step_y):
        own = y.copy()
        call(trans, m, n, alpha, a, lda, x, step_x, beta, own, step_y)
        return np.dot(w, own)

    return result


M, N, LDA = 3, 2, 4


def _numbers(size):
    return RNG.normal(size=size)


def _gemv_case(trans, step_x, step_y):
    columns, rows = (N, M) if trans == "N" else (M, N)
    a, x, y, w = (_numbers(size) for size in (LDA * N, 8, 8, 8))
    matrix = a.reshape(N, LDA).T[:M]
    used = matrix if trans == "N" else matrix.T
    sizes = (_letter(trans), _count(M), _count(N), _count(LDA), _count(step_x), _count(step_y))
    return a, x, y, w, used, _chosen(x, columns, step_x), _chosen(y, rows, step_y), _chosen(w, rows, step_y), sizes


def _slopes(gemv):
    return enzyme.value_and_grad(gemv, argnums=(0, 1, 2, 3, 4))


WAYS = [("N", 1, 1), ("N", -2, 2), ("T", 2, -1), ("C", -1, -2)]


@pytest.mark.parametrize(("trans", "step_x", "step_y"), WAYS)
@pytest.mark.parametrize("factors", [(ALPHA, BETA), (np.zeros(1), np.zeros(1))])
def test_gradient_of_a_product_of_matrix_and_vector(gemv, trans, step_x, step_y, factors) -> None:
    alpha, beta = factors
    a, x, y, w, used, own_x, own_y, g, sizes = _gemv_case(trans, step_x, step_y)
    _, got = _slopes(gemv)(alpha, a, x, beta, y, w, *sizes)
    outer = alpha[0] * (np.outer(g, own_x) if trans == "N" else np.outer(own_x, g))
    of_a = np.zeros((N, LDA))
    of_a[:, :M] = outer.T
    of_y = w.copy()
    _chosen(of_y, len(g), step_y)[:] = beta[0] * g
    want = ([g @ used @ own_x], of_a.ravel(), _spread(alpha[0] * used.T @ g, 8, step_x), [g @ own_y], of_y)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("trans", "step_x", "step_y"), WAYS)
def test_tangent_of_a_product_of_matrix_and_vector(gemv, trans, step_x, step_y) -> None:
    a, x, y, w, used, own_x, own_y, g, sizes = _gemv_case(trans, step_x, step_y)
    rate_a, rate_x, rate_y = _numbers(LDA * N), _numbers(8), _numbers(8)
    matrix = rate_a.reshape(N, LDA).T[:M]
    moved = matrix if trans == "N" else matrix.T
    rates = (np.array([0.4]), rate_a, rate_x, np.array([-0.6]), rate_y)
    _, got = enzyme.jvp(gemv, (ALPHA, a, x, BETA, y, w, *sizes), (*rates, np.zeros(8), *[None] * len(sizes)))
    own = 0.4 * used @ own_x + ALPHA[0] * (moved @ own_x + used @ _chosen(rate_x, len(own_x), step_x))
    own += -0.6 * own_y + BETA[0] * _chosen(rate_y, len(own_y), step_y)
    kept = rate_y.copy()
    _chosen(kept, len(g), step_y)[:] = own
    assert got == pytest.approx(w @ kept, rel=1e-13)


def test_zero_beta_clears_what_is_no_number(gemv) -> None:
    a, x, y, w, used, own_x, _, _, sizes = _gemv_case("N", 1, 1)
    y[:M] = np.nan
    want = w[:M] @ (0.7 * used @ own_x) + w[M:] @ y[M:]
    value, slopes = _slopes(gemv)(ALPHA, a, x, np.zeros(1), y, w, *sizes)
    assert value == pytest.approx(want)
    np.testing.assert_allclose(slopes[2][:N], 0.7 * used.T @ w[:M], rtol=1e-13)
    np.testing.assert_array_equal(slopes[4][:M], 0.0)
    a[:] = np.nan
    y[:M] = 1.0
    value, _ = _slopes(gemv)(np.zeros(1), a, x, BETA, y, w, *sizes)
    assert value == pytest.approx(BETA[0] * w[:M].sum() + w[M:] @ y[M:])


def test_of_no_rows_nothing_is_done(gemv) -> None:
    a, x, y, w, *_, sizes = _gemv_case("N", 1, 1)
    empty = (sizes[0], _count(0), *sizes[2:])
    value, slopes = _slopes(gemv)(ALPHA, a, x, BETA, y, w, *empty)
    assert value == pytest.approx(w @ y)
    np.testing.assert_array_equal(slopes[4], w)


def test_second_derivative_of_a_product(linked) -> None:
    """Half of |alpha A x + beta y|^2 by x: the matrix alpha^2 A'A."""
    call = linked("dgemv_", "tiivvivivvi")
    a, x, y = _numbers(6), _numbers(2), _numbers(3)
    letter, three, two, one = _letter("n"), _count(3), _count(2), _count(1)

    def half(x):
        own = y.copy()
        call(letter, three, two, ALPHA, a, three, x, one, BETA, own, one)
        return 0.5 * (own[0] ** 2 + own[1] ** 2 + own[2] ** 2)

    matrix = a.reshape(2, 3).T
    direction = np.array([0.3, -0.8])
    want = 0.49 * matrix.T @ matrix @ direction
    over_forward = enzyme.grad(lambda x: enzyme.jvp(half, (x,), (direction,))[1])
    over_reverse = enzyme.grad(lambda x: np.sum(enzyme.grad(half)(x) * direction))
    np.testing.assert_allclose(over_forward(x), want, rtol=1e-12)
    np.testing.assert_allclose(over_reverse(x), want, rtol=1e-12)


@pytest.mark.parametrize("number", ["float64", "float32"])
def test_copies_over_memory_that_was_used(linked, number) -> None:
    """The sum of squares of one half and of cubes of the other, through the same memory; one from its other end."""
    call = linked("dcopy_" if number == "float64" else "scopy_", "ivivi", number=number)
    half, one, back = _count(3), _count(1), _count(-1)

    def total(x):
        own = np.zeros_like(x[:3])
        call(half, x, one, own, one)
        first = np.sum(own * own)
        call(half, x[3:], back, own, one)
        return first + own[0] ** 3 + own[1] ** 2

    x = np.array([0.5, 1.2, -0.7, 2.0, 0.3, 1.1], number)
    want = [1.0, 2.4, -1.4, 0.0, 0.6, 3 * 1.1**2]
    np.testing.assert_allclose(enzyme.grad(total)(x), want, rtol=1e-6)


def test_copies_of_complex_numbers(linked) -> None:
    call = linked("zcopy_", "ivivi")
    two, one = _count(2), _count(1)

    def total(x):
        own = np.zeros(4)
        call(two, x, one, own, one)
        first = np.sum(own * own)
        call(one, x, one, own, one)
        return first + own[0] ** 3

    x = np.array([0.5, 1.2, -0.7, 2.0])
    np.testing.assert_allclose(enzyme.grad(total)(x), 2 * x + [0.75, 0, 0, 0], rtol=1e-14)


def _stored(n, uplo, *, is_packed):
    """For each number in memory, its place in the matrix; columns first, the lower or the upper half."""
    pairs = [(i, j) for j in range(n) for i in range(n) if (i <= j if uplo == "U" else i >= j)]
    return {(place if is_packed else i + j * n): (i, j) for place, (i, j) in enumerate(pairs)}


@pytest.mark.parametrize("is_packed", [False, True])
def test_symmetric_matrices(linked, is_packed) -> None:
    """Of a number off the diagonal the gradient is that of both its places."""
    call = linked("dspmv_", "tivvvivvi") if is_packed else linked("dsymv_", "tivvivivvi")

    def result(alpha, a, x, beta, y, w, uplo, n, step_x, step_y):
        own = y.copy()
        if is_packed:
            call(uplo, n, alpha, a, x, step_x, beta, own, step_y)
        else:
            call(uplo, n, alpha, a, n, x, step_x, beta, own, step_y)
        return np.dot(w, own)

    slopes = enzyme.grad(result, argnums=(0, 1, 2, 3, 4))
    for uplo, step_x, step_y in (("U", 1, 1), ("L", -1, 2), ("U", 2, -2)):
        a, x, y, w = _numbers(9), _numbers(5), _numbers(5), _numbers(5)
        places = _stored(3, uplo, is_packed=is_packed)
        matrix = np.zeros((3, 3))
        for place, (i, j) in places.items():
            matrix[i, j] = matrix[j, i] = a[place]
        own_x, own_y, g = _chosen(x, 3, step_x), _chosen(y, 3, step_y), _chosen(w, 3, step_y)
        got = slopes(ALPHA, a, x, BETA, y, w, _letter(uplo), _count(3), _count(step_x), _count(step_y))
        of_a, of_y = np.zeros(9), w.copy()
        for place, (i, j) in places.items():
            of_a[place] = 0.7 * (g[i] * own_x[j] + (g[j] * own_x[i] if i != j else 0.0))
        _chosen(of_y, 3, step_y)[:] = BETA[0] * g
        want = ([g @ matrix @ own_x], of_a, _spread(0.7 * matrix @ g, 5, step_x), [g @ own_y], of_y)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


def test_products_with_the_own_transpose_of_what_is_overwritten(linked) -> None:
    """C = alpha A A' + beta C, of A' A too; then A is squared, so that the derivative had to keep it."""
    call = linked("dsyrk_", "ttiivvivvi")

    def result(alpha, a, beta, c, w, uplo, trans, n, k, lda):
        own, factor = c.copy(), a.copy()
        call(uplo, trans, n, k, alpha, factor, lda, beta, own, n)
        factor *= factor
        return np.dot(w, own) + np.sum(factor)

    slopes = enzyme.grad(result, argnums=(0, 1, 2, 3))
    for uplo, trans in (("L", "N"), ("U", "T"), ("U", "N")):
        a, c, w = _numbers(8 if trans == "N" else 12), _numbers(9), _numbers(9)
        lda = 4
        matrix = a.reshape(2, 4).T[:3] if trans == "N" else a.reshape(3, 4)[:, :2]
        sizes = (_letter(uplo), _letter(trans), _count(3), _count(2), _count(lda))
        got = slopes(ALPHA, a, BETA, c, w, *sizes)
        keep = np.tril if uplo == "L" else np.triu
        g = keep(w.reshape(3, 3).T)
        of_matrix = 0.7 * (g + g.T) @ matrix
        of_a = 2 * a
        if trans == "N":
            of_a.reshape(2, 4)[:, :3] += of_matrix.T
        else:
            of_a.reshape(3, 4)[:, :2] += of_matrix
        of_c = w.reshape(3, 3).T - g + BETA[0] * g
        want = ([np.sum(g * (matrix @ matrix.T))], of_a, [np.sum(g * c.reshape(3, 3).T)], of_c.T.ravel())
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", ["dscal_", "dtrmv_"])
def test_reverse_over_reverse(linked, name) -> None:
    """Enzyme's rules keep the vector by calling copy, which the second derivative had wrong."""
    call = linked(name, "ivvi" if name == "dscal_" else "tttivivi")
    upper, no, two, one = _letter("U"), _letter("N"), _count(2), _count(1)
    is_scal = name == "dscal_"

    def total(x):
        own = x[4:].copy()
        if is_scal:
            call(two, x, own, one)
        else:
            call(upper, no, no, two, x, two, own, one)
        return own[0] ** 2 + own[1] ** 3

    x, v = np.array([0.8, -0.3, 1.4, 0.6, 1.1, 0.9]), np.array([0.2, 0.5, -0.7, 0.4, 0.9, -0.6])

    # By hand: of u^2 + w^3 the second derivative is 2 du u' + 6 w dw w' + 2 u ddu' + 3 w^2 ddw'.
    eye = np.eye(6)
    if is_scal:
        u, w = x[0] * x[4], x[0] * x[5]
        of_u, of_w = x[4] * eye[0] + x[0] * eye[4], x[5] * eye[0] + x[0] * eye[5]
        uu, ww = np.outer(eye[0], eye[4]), np.outer(eye[0], eye[5])
    else:
        u, w = x[0] * x[4] + x[2] * x[5], x[3] * x[5]
        of_u = x[4] * eye[0] + x[0] * eye[4] + x[5] * eye[2] + x[2] * eye[5]
        of_w = x[5] * eye[3] + x[3] * eye[5]
        uu, ww = np.outer(eye[0], eye[4]) + np.outer(eye[2], eye[5]), np.outer(eye[3], eye[5])
    hessian = 2 * np.outer(of_u, of_u) + 6 * w * np.outer(of_w, of_w)
    hessian += 2 * u * (uu + uu.T) + 3 * w**2 * (ww + ww.T)
    got = enzyme.grad(lambda x: np.dot(enzyme.grad(total)(x), v))(x)
    np.testing.assert_allclose(got, hessian @ v, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("side", "LR")
def test_tangent_of_a_triangular_product(linked, side) -> None:
    """In forward mode Enzyme had no rule: B = alpha A B or alpha B A, A lower, by its transpose."""
    call = linked("dtrmm_", "ttttiivvivi")
    letters = tuple(_letter(one) for one in (side, "L", "T", "N"))
    two, three = _count(2), _count(3)
    m, n = (three, two) if side == "L" else (two, three)

    def result(alpha, a, b, w):
        own = b.copy()
        call(*letters, m, n, alpha, a, three, own, m)
        return np.dot(w, own)

    a, b, w, rate_a, rate_b = (_numbers(size) for size in (9, 6, 6, 9, 6))

    def by_columns(numbers):
        return numbers.reshape(n[0], m[0]).T

    def product(a, b):
        matrix = np.tril(a.reshape(3, 3).T).T
        return matrix @ by_columns(b) if side == "L" else by_columns(b) @ matrix

    given = (ALPHA, a, b)
    _, got = enzyme.jvp(lambda alpha, a, b: result(alpha, a, b, w), given, (np.array([0.4]), rate_a, rate_b))
    moved = 0.4 * product(a, b) + 0.7 * (product(rate_a, b) + product(a, rate_b))
    assert got == pytest.approx(np.sum(by_columns(w) * moved), rel=1e-13)


def test_the_c_interface(tmp_path, monkeypatch) -> None:
    """Such names are linked if a library of the process has them; a derivative does not call it."""
    monkeypatch.setattr(link_ir, "_check_symbols", lambda code: None)
    monkeypatch.setattr(link_ir, "_tell_addresses", lambda code: None)
    path = tmp_path / "c.ll"
    path.write_text(
        "declare void @cblas_dgemv(i32, i32, i32, i32, double, ptr, i32, ptr, i32, double, ptr, i32)\n"
        "define void @f(i32 %layout, i32 %trans, double %alpha, ptr %a, ptr %x, double %beta, ptr %y) {\n"
        "  call void @cblas_dgemv(i32 %layout, i32 %trans, i32 2, i32 2, double %alpha, ptr %a, i32 3, ptr %x, "
        "i32 -1, double %beta, ptr %y, i32 1)\n  ret void\n}\n"
    )
    call = enzyme.link_ir(path, "f", "void(int32, int32, float64, float64[::1], float64[::1], float64, float64[::1])")

    def result(alpha, a, x, beta, y, w, layout, trans):
        own = y.copy()
        call(layout, trans, alpha, a, x, beta, own)
        return np.dot(w, own)

    slopes = enzyme.grad(result, argnums=(0, 2, 3, 4))
    a, x, y, w = (_numbers(size) for size in (6, 2, 2, 2))
    matrix = a.reshape(2, 3)[:, :2]
    by_rows, by_columns, plain, transposed = 101, 102, 111, 112
    for layout, trans, used in (
        (by_rows, plain, matrix),
        (by_rows, transposed, matrix.T),
        (by_columns, plain, matrix.T),
        (by_columns, transposed, matrix),
    ):
        got = slopes(0.7, a, x, -1.3, y, w, layout, trans)
        want = (w @ used @ x[::-1], (0.7 * used.T @ w)[::-1], w @ y, -1.3 * w)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "kinds", "message"),
    [
        ("zgemv_", "tiivvivivvi", "`zgemv_` of linked code has no derivative"),
        ("zgemm_", "ttiiivvivivvi", "`zgemm_` of linked code has no derivative"),
        ("dcopy_", "ivi", re.escape("`dcopy_` is declared as void (ptr, ptr, ptr)")),
    ],
)
def test_what_is_refused(linked, name, kinds, message) -> None:
    call = linked(name, kinds)

    def result(x):
        if is_copy:
            call(one, x, one)
        elif is_gemm:
            call(letter, letter, one, one, one, x, x, one, x, one, x, x, one)
        else:
            call(letter, one, one, x, x, one, x, one, x, x, one)
        return x[0]

    is_gemm = name == "zgemm_"
    is_copy, letter, one = name == "dcopy_", _letter("N"), _count(1)
    with pytest.raises((RuleError, DerivativeError), match=message):
        enzyme.grad(result)(np.ones(4))


@pytest.mark.parametrize(
    ("name", "kinds", "refused"),
    [
        ("zscal_", "ivvi", {"reverse", "both"}),
        ("zaxpy_", "ivvivi", {"reverse", "both"}),
        ("dtrtrs_", "UNNiivivii", {"forward", "both"}),
        ("dpotrs_", "Uiivivii", {"forward", "both"}),
        ("dsyr2k_", "UNiivvivivvi", {"forward", "reverse", "both"}),
    ],
)
def test_what_is_refused_in_one_mode(linked, name, kinds, refused) -> None:
    """Letters stand for themselves; all sizes are 1."""
    call = linked(name, "".join("t" if kind.isupper() else kind for kind in kinds))
    names = [f"x{i}" for i, kind in enumerate(kinds) if kind == "v"]
    scope = {"call": call}
    scope |= {f"p{i}": _count(1) if kind == "i" else _letter(kind) for i, kind in enumerate(kinds) if kind != "v"}
    handed = ", ".join(f"x{i}.copy()" if kind == "v" else f"p{i}" for i, kind in enumerate(kinds[:-1]))
    handed += f", p{len(kinds) - 1}.copy()"  # LAPACK writes there
    exec(f"def result({', '.join(names)}):\n    call({handed})\n    return {names[0]}[0]", scope)
    x = [np.ones(4) for _ in names]
    ways = {
        "forward": lambda: enzyme.jvp(scope["result"], tuple(x), tuple(x)),
        "reverse": lambda: enzyme.grad(scope["result"])(*x),
        "both": lambda: enzyme.hvp(scope["result"], x[0], x[0], *x[1:]),
    }
    for mode, ask in ways.items():
        if mode in refused:
            with pytest.raises(RuleError, match=f"`{name}` of linked code has no derivative"):
                ask()
        else:
            ask()


def test_letters_from_elsewhere_are_refused(linked) -> None:
    """In reverse mode, whose rule keeps a letter that others may write."""
    call = linked("dpotrf_", "tivii")
    upper, one = _letter("U"), _count(1)

    def root(x):
        own, letter = x.copy(), upper.copy()
        call(letter, one, own, one, np.zeros(1, np.int32))
        return own[0]

    with pytest.raises(NoDerivativeError, match="`dpotrf_` of a letter that lies in memory from elsewhere"):
        enzyme.grad(root)(np.array([4.0]))
    assert enzyme.jvp(root, (np.array([4.0]),), (np.ones(1),)) == pytest.approx((2.0, 0.25))


def test_an_active_factor_without_a_rule_is_named(linked) -> None:
    call = linked("dsymm_", "ttiivvivivvi")
    numbers = {"call": call, "np": np, "left": _letter("L"), "upper": _letter("U"), "one": _count(1)}
    code = """
def product(alpha):
    a, c = np.full(1, 2.0), np.zeros(1)
    call(left, upper, one, one, alpha.copy(), a, one, a, one, c.copy(), c, one)
    return c[0]
"""
    exec(code, numbers)
    product = numbers["product"]
    with pytest.raises(NoDerivativeError, match="alpha within symm"):
        enzyme.grad(product)(np.array([3.0]))
    assert enzyme.jvp(product, (np.array([3.0]),), (np.ones(1),)) == pytest.approx((12.0, 4.0))


def test_the_names_of_numba_are_others() -> None:
    """What its compiled code calls is not taken for a routine of linked code."""
    assert not [name for name in PRODUCTS if _NAME.fullmatch(name)]


# A factor by address that changes in a loop, k from 0 to 2. In the reverse sweep it is that of another iteration.
IN_A_LOOP = """
@one = private constant i32 1
@three = private constant i32 3
@n = private constant i8 78
@factor = private constant double 1.0
CALLED
define double @f(ptr %x, ptr %y) {
entry:
  %alpha = alloca double
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr double, ptr %x, i64 %k
  %number = load double, ptr %at
  store double %number, ptr %alpha
  CALL
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, 3
  br i1 %more, label %loop, label %end
end:
  %y1 = getelementptr double, ptr %y, i64 1
  %y2 = getelementptr double, ptr %y, i64 2
  %a = load double, ptr %y
  %b = load double, ptr %y1
  %c = load double, ptr %y2
  %twice = fmul double %b, 2.0
  %thrice = fmul double %c, 3.0
  %ab = fadd double %a, %twice
  %sum = fadd double %ab, %thrice
  ret double %sum
}
"""


def _in_a_loop(tmp_path, name, given):
    code = IN_A_LOOP.replace("CALLED", f"declare void @{name}({', '.join(['ptr'] * len(given.split(',')))})")
    path = tmp_path / f"{name}.ll"
    path.write_text(code.replace("CALL", f"call void @{name}({given})"))
    function = enzyme.link_ir(path, "f", "float64(float64[::1],float64[::1])")
    return lambda x: function(x, np.zeros(3))


def test_a_factor_that_changes_in_a_loop(tmp_path) -> None:
    """y_i = sum_k x_k x_(k + i), and the result y_0 + 2 y_1 + 3 y_2."""
    kernel = _in_a_loop(tmp_path, "daxpy_", "ptr @three, ptr %alpha, ptr %at, ptr @one, ptr %y, ptr @one")
    x = np.array([0.5, 1.2, -0.7, 2.0, 0.3])
    want = np.zeros(5)
    for k in range(3):
        for i in range(3):
            want[k] += (i + 1) * x[k + i]
            want[k + i] += (i + 1) * x[k]
    np.testing.assert_allclose(enzyme.grad(kernel)(x), want, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jacfwd(kernel)(x), want, rtol=1e-14)


def test_such_a_factor_of_a_product_of_matrices_is_refused(tmp_path) -> None:
    given = "ptr @n, ptr @n, ptr @one, ptr @one, ptr @one, ptr %alpha, ptr %at, ptr @one, ptr %at, ptr @one, ptr @factor, ptr %y, ptr @one"
    kernel = _in_a_loop(tmp_path, "dgemm_", given)
    x = np.array([0.5, 1.2, -0.7])
    assert kernel(x) == pytest.approx((x**3).sum(), rel=1e-14)
    np.testing.assert_allclose(enzyme.jacfwd(kernel)(x), 3.0 * x**2, rtol=1e-14)
    with pytest.raises(DerivativeError, match="by address that changes"):
        enzyme.grad(kernel)(x)
