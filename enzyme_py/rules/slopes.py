"""Functions of numbers whose slope is worth keeping, since computing it again would call one again.

Enzyme knows the derivatives of exp, sin or tanh, and computes in the reverse sweep whatever they need:
the function again, for the value where others need it and for the slope. A hand-written adjoint keeps
one number instead. So up to Enzyme a call here is two. The first computes the value, or what the slope is made
of; Enzyme knows of it that it has no derivative and cannot be made twice. The second is
`pick(x * slope, value)`, which returns the value and is, for all that concerns derivatives, fmod: by its first
argument the derivative is one. So Enzyme keeps one number. And since a product is differentiated, strong
zero holds, which Enzyme knows for products only: of `np.where(x > 700, x, np.exp(x))` the part not taken made
NaN of the gradient.

Only for one reverse sweep: the slope itself has no derivative here.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import Module

PREFIX = "enzyme_py_slope."
PICK = f"{PREFIX}pick."
_KEPT = f"{PREFIX}kept."

_KINDS = {"double": ("", "f64"), "float": ("f", "f32")}
_BEHAVIOUR = "nounwind willreturn nofree nosync"
_INACTIVE = f'{_BEHAVIOUR} memory(inaccessiblemem: readwrite) "enzyme_inactive" "enzyme_nofree"'
_INACTIVE += ' "enzyme_no_escaping_allocation"'
_PASSED_ON = f'{_BEHAVIOUR} memory(none) "enzyme_math"="{{name}}" "enzyme_nofree"'


@dataclass(frozen=True)
class Slope:
    """The slope of a function, from its value or from another function of x.

    `ir` computes %slope from %given by operations that Enzyme can repeat. Without it that is the slope.
    """

    other: str = ""  # of the C library; without one it is the value that is given
    ir: str = ""


_SLOPES = {
    "exp": Slope(),
    "exp2": Slope(ir="%slope = fmul {f} %given, {ln2}"),
    "expm1": Slope("exp"),  # not the value and one, which is zero where exp is 1e-22
    "sin": Slope("cos"),
    "cos": Slope("sin", "%slope = fneg {f} %given"),
    "tan": Slope(
        ir="%slope.square = fmul {f} %given, %given\n%slope = fadd {f} %slope.square, 1.0"
    ),
    "sinh": Slope("cosh"),
    "cosh": Slope("sinh"),
    "tanh": Slope(
        ir="%slope.square = fmul {f} %given, %given\n%slope = fsub {f} 1.0, %slope.square"
    ),
}
_LN2 = {"double": "0x3FE62E42FEFA39EF", "float": "0x3FE62E4300000000"}
_INTRINSICS = frozenset("exp exp2 sin cos tan sinh cosh tanh".split())


@dataclass(frozen=True)
class Function:
    """A function in IR: the symbol that is called, its name in the table, its type."""

    symbol: str
    name: str
    kind: str

    @property
    def other(self) -> str:
        """The symbol of the function that the slope is computed from, if that is not the value."""
        name = _SLOPES[self.name].other
        return library_symbol(name, self.kind) if name else ""

    def call(self, result: str, x: str, name: str) -> list[str]:
        """The lines that stand for a call, with local names that begin with `name`."""
        f, slope = self.kind, _SLOPES[self.name]
        value = given = f"{name}.value"
        lines = [f"{value} = call {f} @{kept(self.symbol)}({f} {x})"]
        if slope.other:
            given = f"{name}.other"
            lines.append(f"{given} = call {f} @{kept(self.other)}({f} {x})")
        if slope.ir:
            text = slope.ir.format(f=f, ln2=_LN2[f]).replace("%given", given)
            lines += text.replace("%slope", name).split("\n")
        final = name if slope.ir else given
        lines.append(f"{name}.product = fmul {f} {x}, {final}")
        return [*lines, f"{result} = {pick(f, f'{name}.product', value)}"]

    def declarations(self) -> list[str]:
        """What Enzyme reads."""
        f = self.kind
        called = filter(None, (self.symbol, self.other))
        return [
            *(f"declare {f} @{kept(symbol)}({f}) {_INACTIVE}" for symbol in called),
            pick_declaration(f),
        ]


def pick(kind: str, product: str, value: str) -> str:
    """Return the call that gives a value the derivative of a product."""
    return f"call {kind} @{PICK}{kind}({kind} {product}, {kind} {value})"


def pick_declaration(kind: str) -> str:
    """Return what Enzyme reads of `pick`."""
    passed_on = _PASSED_ON.format(name="fmod" + _KINDS[kind][0])
    return f"declare {kind} @{PICK}{kind}({kind}, {kind}) {passed_on}"


def kept(symbol: str) -> str:
    """Return the name of what computes a value that has no derivative."""
    return f"{_KEPT}{symbol}"


def library_symbol(name: str, kind: str) -> str:
    """The symbol by which IR calls a function of numbers of a type."""
    single, suffix = _KINDS[kind]
    return f"llvm.{name}.{suffix}" if name in _INTRINSICS else name + single


def _functions() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for name in _SLOPES:
        for kind, (single, suffix) in _KINDS.items():
            symbols = [name + single]
            if name in _INTRINSICS:
                symbols.append(f"llvm.{name}.{suffix}")
            found |= {symbol: Function(symbol, name, kind) for symbol in symbols}
    return found


FUNCTIONS = _functions()


def define_slopes(code: Module) -> None:
    """Define what the differentiated module declares of these."""
    for one in code.declarations:
        if one.name.startswith(PREFIX):
            f, symbol = one.return_type, one.name.removeprefix(_KEPT)
            head = f"define internal {f} {one.ref}"
            if symbol == one.name:
                one.define_as(
                    f"{head}({f} %product, {f} %value) alwaysinline {{\n  ret {f} %value\n}}\n"
                )
            else:
                code.declare(symbol, f, [f])
                one.define_as(
                    f"{head}({f} %x) alwaysinline {{\n"
                    f"  %value = call {f} @{symbol}({f} %x)\n  ret {f} %value\n}}\n"
                )
