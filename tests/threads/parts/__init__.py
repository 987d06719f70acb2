"""Tests of what a part of a parallel loop reads, keeps and runs."""
