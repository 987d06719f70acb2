"""Rewrites of statements: branches turned round or doubled, runs of statements in a loop of their own, sums in a cell."""

from __future__ import annotations

import ast
import copy
import random

from tests.metamorphic.forms import Form, chosen, leaves_its_loop, loaded, statements, stored

_LEAVING = (ast.Break, ast.Continue, ast.Return)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.While, ast.If)


def turned(form: Form, drawn: random.Random) -> bool:
    """Ask the opposite, and change the branches."""
    places = [
        one for block in form.blocks() for one in block if isinstance(one, ast.If) and one.body
    ]
    found = chosen(drawn, places)
    if found is None:
        return False
    found.test = ast.UnaryOp(ast.Not(), found.test)
    found.body, found.orelse = found.orelse or [ast.Pass()], found.body
    return True


def once(form: Form, drawn: random.Random) -> bool:
    """Put statements into a loop of one iteration."""
    return _wrapped(
        form, drawn, f"for {form.fresh('once')} in range(1):\n    pass\n", doubled=False
    )


def guarded(form: Form, drawn: random.Random) -> bool:
    """Put statements under a branch that is always taken."""
    return _wrapped(form, drawn, f"if {_asked(form)} >= 0:\n    pass\n", doubled=False)


def doubled(form: Form, drawn: random.Random) -> bool:
    """Write statements in both branches of a question that does not matter."""
    text = f"if {_asked(form)} % 2 == 0:\n    pass\nelse:\n    pass\n"
    return _wrapped(form, drawn, text, doubled=True)


def _asked(form: Form) -> str:
    """Return an integer of which the compiler knows nothing."""
    arrays = [
        name
        for name, one in zip(form.parameters, form.arguments(form.origin.arguments), strict=True)
        if hasattr(one, "shape") and one.ndim and name not in stored(form.function)
    ]
    return f"len({arrays[0]})" if arrays else "int(1e3)"


def _wrapped(form: Form, drawn: random.Random, text: str, *, doubled: bool) -> bool:
    places = []
    for block in form.blocks():
        for place in range(len(block)):
            for count in (1, 2, 3):
                run = block[place : place + count]
                if (
                    len(run) == count
                    and all(isinstance(one, _SIMPLE) for one in run)
                    and not leaves_its_loop(run, _LEAVING)
                ):
                    places.append((block, place, count))
    found = chosen(drawn, places)
    if found is None:
        return False
    block, place, count = found
    (made,) = statements(text)
    run = block[place : place + count]
    made.body = run  # type: ignore[attr-defined]
    if doubled:
        made.orelse = copy.deepcopy(run)  # type: ignore[attr-defined]
    block[place : place + count] = [made]
    return True


def written_out(form: Form, drawn: random.Random) -> bool:
    """Write `a[i] = a[i] + e` for `a[i] += e`."""
    places = [
        (block, place)
        for block in form.blocks()
        for place, one in enumerate(block)
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Subscript)
    ]
    found = chosen(drawn, places)
    if found is None:
        return False
    block, place = found
    one = block[place]
    target = copy.deepcopy(one.target)
    target.ctx = ast.Load()
    block[place] = ast.Assign([one.target], ast.BinOp(target, one.op, one.value))
    return True


def in_a_cell(form: Form, drawn: random.Random) -> bool:
    """Keep a running number in an array of one."""
    function = form.function
    begun = [
        one.targets[0].id
        for block in form.blocks()
        for one in block
        if isinstance(one, ast.Assign)
        and len(one.targets) == 1
        and isinstance(one.targets[0], ast.Name)
        and isinstance(one.value, ast.Constant)
        and isinstance(one.value.value, float)
    ]
    inside = {
        name
        for one in ast.walk(function)
        if one is not function and isinstance(one, (ast.FunctionDef, ast.Lambda))
        for name in loaded(one)
    }
    places = sorted(set(begun) - set(form.parameters) - inside)
    name = chosen(drawn, places)
    if name is None:
        return False
    cell = form.fresh("cell")

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id != name:
                return node
            return ast.Subscript(ast.Name(cell, ast.Load()), ast.Constant(0), node.ctx)

    Replace().visit(function)
    function.body.insert(0, statements(f"{cell} = np.zeros(1)")[0])
    return True


def packed(form: Form, drawn: random.Random) -> bool:
    """Assign two variables at once."""
    places = []
    for block in form.blocks():
        for place in range(len(block) - 1):
            one, other = block[place : place + 2]
            if all(
                isinstance(each, ast.Assign)
                and len(each.targets) == 1
                and isinstance(each.targets[0], ast.Name)
                for each in (one, other)
            ) and not set(stored(one)) & (loaded(other) | set(stored(other))):
                places.append((block, place))
    found = chosen(drawn, places)
    if found is None:
        return False
    block, place = found
    pairs = [(one.targets[0], one.value) for one in block[place : place + 2]]
    targets, values = (ast.Tuple(list(part)) for part in zip(*pairs, strict=True))
    targets.ctx, values.ctx = ast.Store(), ast.Load()
    block[place : place + 2] = [ast.Assign([targets], values)]
    return True


_MAKERS = ("zeros", "ones", "empty", "zeros_like", "ones_like", "empty_like", "copy", "array", "outer", "eye")


def cleared(form: Form, drawn: random.Random) -> bool:
    """Write over an array in front of a return: what was read from it has to be kept until then."""
    places = [
        (block, place)
        for block in form.blocks()
        for place, one in enumerate(block)
        if isinstance(one, ast.Return) and isinstance(one.value, (ast.BinOp, ast.Name))
    ]
    found, name = chosen(drawn, places), chosen(drawn, sorted(_arrays(form)))
    if found is None or name is None:
        return False
    block, place = found
    result = form.fresh("result")
    value = ast.unparse(block[place].value)
    block[place : place + 1] = statements(f"{result} = 1.0 * ({value})\n{name}[:] = 0.0\nreturn {result}\n")
    form.write(name)
    return True


def _arrays(form: Form) -> set[str]:
    """Return the names that hold arrays of floats whenever the kernel returns: arguments, and what is made once at its beginning."""
    changed = stored(form.function)
    given = zip(form.parameters, form.arguments(form.origin.arguments), strict=True)
    found = {name for name, one in given if getattr(one, "ndim", 0) and one.dtype.kind in "fc"}
    for one in form.function.body:
        if not isinstance(one, ast.Assign):
            break
        made, (target, *_) = one.value, one.targets
        is_call = isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
        if is_call and made.func.attr in _MAKERS and isinstance(target, ast.Name) and "int" not in ast.unparse(made):
            found.add(target.id)
    return {name for name in found if changed.count(name) == (name not in form.parameters)}


STATEMENT_REWRITES = {
    "cleared": cleared,
    "branches turned": turned,
    "once": once,
    "guarded": guarded,
    "both branches": doubled,
    "written out": written_out,
    "in a cell": in_a_cell,
    "packed": packed,
}
