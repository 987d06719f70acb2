"""The way of a call from Python that was made before in the same form: csrc/calls.c."""
