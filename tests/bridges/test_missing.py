"""A library that is not installed: the import says which extra brings it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules[{library!r}] = None  # as if it were not there
try:
    import enzyme_py.bridges.{library}
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("library", "name", "extra"),
    [
        ("jax", "JAX", "jax"),
        ("torch", "PyTorch", "torch"),
        ("nutpie", "nutpie", "nutpie"),
        ("pytensor", "PyTensor", "pymc"),
        ("casadi", "CasADi", "casadi"),
    ],
)
def test_the_message_names_the_extra(library, name, extra):
    command = [sys.executable, "-c", PROGRAM.format(library=library)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = (
        f'enzyme_py.bridges needs {name}, which is not installed: pip install "enzyme_py[{extra}]"'
    )
    assert done.stdout.strip() == expected


def test_bridges_import_no_library():
    program = "import enzyme_py.bridges, sys; assert not {'jax', 'torch', 'nutpie', 'pytensor', 'casadi'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
