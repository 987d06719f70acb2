"""Numba's pipeline for runners: their machine code goes with them (unloading.py)."""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler
from numba.core.typed_passes import NopythonTypeInference


class RunnerCompiler(Compiler):  # type: ignore[misc]
    """Numba's pipeline, with a library that can be unloaded where nothing returned points into it."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's pipelines; of one in object mode nothing changes."""
        from enzyme_py.transforms.plans.unloading import ChooseLibrary

        pipelines: list[Any] = super().define_pipelines()
        if not self.state.flags.force_pyobject:
            pipelines[0].add_pass_after(ChooseLibrary, NopythonTypeInference)
            pipelines[0].finalize()
        return pipelines
