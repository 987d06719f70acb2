"""The table: every function that copies or joins arrays, one row each."""

from __future__ import annotations

from tests.copies import copying, joining
from tests.copies.row import FUNCTIONS, Row

__all__ = ["FUNCTIONS", "Row"]

assert copying.row is joining.row  # both are imported for the rows that they add
