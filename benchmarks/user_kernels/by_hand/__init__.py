"""Adjoints by hand, in Numba: `(value, gradient)` of the kernel of the same name.

Each is the adjoint of the same algorithm, as somebody who knows it well would write it: what a linear step does not need
is not kept, and a stencil's adjoint gathers where its kernel does.
"""

from __future__ import annotations

from user_kernels.by_hand import chains, matrices, particles, signals, stencils

FUNCTIONS = (
    *(stencils.heat_1d, stencils.jacobi_1d, stencils.burgers_upwind, stencils.wave_2d),
    *(stencils.heat_3d, stencils.gauss_seidel, stencils.gray_scott),
    *(particles.pair_forces, particles.planets, particles.spring_chain, particles.k_means),
    *(matrices.lu_in_place, matrices.cholesky_by_loops, matrices.thomas, matrices.csr_product),
    *(matrices.matrix_product, matrices.matrix_product_by_dots, matrices.dense_layer),
    *(signals.recursive_filter, signals.convolve_1d, signals.convolve_2d, signals.fourier),
    *(signals.table_lookup, signals.tree_of_sums, signals.simpson, signals.spline, signals.warp, signals.smooth_image),
    *(chains.rosenbrock, chains.lorenz_rk4, chains.predators, chains.implicit_euler),
    *(chains.garch, chains.local_level, chains.julia, chains.asian_option),
    *(matrices.triangular_solve, particles.pair_energy),
)
SAME = {"heat_1d_slices": stencils.heat_1d, "heat_float32": stencils.heat_1d, "rosenbrock_slices": chains.rosenbrock}
HAND = {**SAME, **{function.__name__: function for function in FUNCTIONS}}
