"""Short forms of the long runs: fuzzing, other people's kernels, rewrites that keep the meaning."""
