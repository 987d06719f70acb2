"""`prange` loops lowered so that their derivatives can run on threads: docs/threads.md."""
