"""Sums of reverse sweeps in any order: in registers, and in memory."""
