"""Numba's pipeline for kernels: arrays grown in place, and dicts and lists that are returned."""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import ReconstructSSA

from enzyme_py.frontend.arrays.growing.growth import Growth
from enzyme_py.frontend.containers.returned_trees import ReturnedTrees


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's pipeline with two passes more."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(ReturnedTrees, ReconstructSSA)
        passes.add_pass_after(Growth, NopythonTypeInference)
        passes.finalize()
        return [passes]
