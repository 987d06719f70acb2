"""Arrays that a loop grows, grown in place: who may, what reads them meanwhile, and how it is lowered."""
