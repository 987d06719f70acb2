"""A report as text: for a terminal, as a page, and beside an earlier one."""
