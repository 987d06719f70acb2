"""All rows of the table, by name."""

from __future__ import annotations

from user_kernels import (
    factorisations,
    filters,
    images,
    integrators,
    networks,
    particles,
    sampling,
    stencils,
)
from user_kernels.rows import Row

SUBJECTS = (stencils, particles, factorisations, filters, sampling, images, integrators, networks)
ROWS: dict[str, Row] = {row.name: row for subject in SUBJECTS for row in subject.ROWS}
