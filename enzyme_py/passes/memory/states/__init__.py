"""The states of a recurrence, written down once in place of twice."""
