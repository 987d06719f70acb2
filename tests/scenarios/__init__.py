"""Kernels with hand-derived answers, as data; variants and modes turn them into test cases."""

from tests.scenarios.allocation import ALLOCATION
from tests.scenarios.arrays import ARRAYS
from tests.scenarios.complex_values import COMPLEX
from tests.scenarios.containers import CONTAINERS
from tests.scenarios.control_flow import CONTROL_FLOW
from tests.scenarios.linear_algebra import LINEAR_ALGEBRA
from tests.scenarios.mutation import MUTATION
from tests.scenarios.scalars import SCALARS
from tests.scenarios.views import VIEWS

SCENARIOS = (
    *SCALARS,
    *ARRAYS,
    *MUTATION,
    *CONTROL_FLOW,
    *ALLOCATION,
    *VIEWS,
    *LINEAR_ALGEBRA,
    *CONTAINERS,
    *COMPLEX,
)
