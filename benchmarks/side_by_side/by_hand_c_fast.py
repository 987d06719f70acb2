"""The adjoints by hand in C, compiled with -ffast-math on top: beside kernels that ask for fastmath."""

from __future__ import annotations

from . import by_hand_c

by_hand_c.FLAGS.append("-ffast-math")
prepared = by_hand_c.prepared
