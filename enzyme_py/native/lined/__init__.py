"""Machine code that tells which line each of its instructions comes from: for `enzyme.inspect.report` only."""
