"""All rows: importing this module fills the tables of row.py."""

from tests.coverage import (
    table_arrays,
    table_edges,
    table_random,
    table_scalars,
    table_shapes,
    table_ufuncs,
)
from tests.coverage.row import EDGES, ROWS

__all__ = ["EDGES", "ROWS"]
_TABLES = (table_arrays, table_edges, table_random, table_scalars, table_shapes, table_ufuncs)
