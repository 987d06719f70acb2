"""Numba's pipeline for kernels: arrays grown in place, and dicts and lists that are returned."""

from __future__ import annotations

from typing import Any

from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import ReconstructSSA

from enzyme_py.frontend.arrays.growing.growth import Growth
from enzyme_py.frontend.containers.returned_trees import ReturnedTrees
from enzyme_py.frontend.containers.tree_reads import TreeReads


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's pipeline with three passes more."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(ReturnedTrees, ReconstructSSA)
        passes.add_pass_after(Growth, NopythonTypeInference)
        passes.add_pass_after(TreeReads, NopythonTypeInference)
        passes.finalize()
        return [passes]


class ReturningCompiler(Compiler):  # type: ignore[misc]
    """Numba's pipeline for its own target, where a function returns dicts or lists: as a kernel it gives the same tuples."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's pipelines; of one in object mode nothing changes."""
        pipelines: list[Any] = super().define_pipelines()
        if not self.state.flags.force_pyobject:
            pipelines[0].add_pass_after(ReturnedTrees, ReconstructSSA)
            pipelines[0].finalize()
        return pipelines
