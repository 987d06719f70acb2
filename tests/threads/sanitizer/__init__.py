"""ThreadSanitizer over the generated code of all kernels of the table: `python -m tests.threads --sanitizer`.

The C runtime is built with `-fsanitize=thread`, so that the sanitizer sees how threads of the pool wait for each other. Generated
code tells it of each load and store, of all functions: those of the parts, and what runs around them. Each kernel is asked
for its derivatives on four threads, which really run at once. A race that was seen is in the process's log.

The detector of our own (tests/threads/watching.py) sees more in what the parts do: all pairs of them, without luck. It
sees nothing of what is between the parts and their caller, of the pool, and of the memory that it hands out.
"""
