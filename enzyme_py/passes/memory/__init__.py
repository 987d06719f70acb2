"""Passes about memory: what is allocated, copied, cached on the tape, and made again for the reverse sweep."""
