"""How fast is a drug taken up, and how fast is it left? nutpie samples a pharmacokinetic model whose density is a kernel.

Three doses are swallowed; blood samples tell the concentration. The kernel integrates the two equations of gut and blood, and its gradient goes
through the integrator. nutpie calls it without Python, in a thread for each chain.
"""

import importlib.util
import warnings

import numpy as np

import enzyme_py as enzyme

DOSE, DOSES = 100.0, np.array([0.0, 8.0, 16.0])  # milligrams, hours
TIMES = np.array([0.5, 1.0, 2.0, 4.0, 7.0, 9.0, 12.0, 15.0, 17.0, 20.0, 24.0])
TRUTH = np.array([1.2, 0.15, 30.0])  # uptake and clearance per hour, litres
NOISE = 0.1  # of the logarithm of a concentration
STEP = 0.1


@enzyme.jit
def concentrations(uptake, clearance, volume, times, doses):
    """Runge-Kutta steps of gut' = -uptake gut, blood' = uptake gut - clearance blood."""
    found = np.empty(times.size)
    gut = blood = 0.0
    seen = given = 0
    for i in range(int(np.ceil(times[-1] / STEP)) + 1):
        t = i * STEP
        while given < doses.size and doses[given] <= t + 1e-9:
            gut += DOSE
            given += 1
        while seen < times.size and times[seen] <= t + 1e-9:
            found[seen] = blood / volume
            seen += 1
        g1, b1 = -uptake * gut, uptake * gut - clearance * blood
        g2 = -uptake * (gut + STEP / 2 * g1)
        b2 = -g2 - clearance * (blood + STEP / 2 * b1)
        g3 = -uptake * (gut + STEP / 2 * g2)
        b3 = -g3 - clearance * (blood + STEP / 2 * b2)
        g4 = -uptake * (gut + STEP * g3)
        b4 = -g4 - clearance * (blood + STEP * b3)
        gut += STEP / 6 * (g1 + 2 * g2 + 2 * g3 + g4)
        blood += STEP / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    return found


@enzyme.jit
def log_density(x, times, doses, logs):
    """Normal errors of the logarithms; wide normal priors of the logarithms of uptake, clearance and volume."""
    total = -0.5 * (x[0] ** 2 + (x[1] + 2.0) ** 2 + (x[2] - 3.0) ** 2)
    found = concentrations(np.exp(x[0]), np.exp(x[1]), np.exp(x[2]), times, doses)
    for i in range(times.size):
        total -= 0.5 * ((np.log(found[i]) - logs[i]) / NOISE) ** 2
    return total


def main():
    import nutpie

    from enzyme_py.bridges.nutpie import posterior

    errors = NOISE * np.random.default_rng(0).normal(size=TIMES.size)
    logs = np.log(concentrations(*TRUTH, TIMES, DOSES)) + errors
    model = posterior(
        log_density,
        {"uptake": (), "clearance": (), "volume": ()},
        TIMES,
        DOSES,
        logs,
        start=lambda seed: (
            np.array([0.0, -2.0, 3.0]) + 0.1 * np.random.default_rng(seed).normal(size=3)
        ),
    )
    trace = nutpie.sample(model, draws=1000, tune=500, chains=4, seed=1, progress_bar=False)
    print("divergences:", int(trace.sample_stats.diverging.sum()))
    for name, truth in zip(("uptake", "clearance", "volume"), TRUTH, strict=True):
        draws = trace.posterior[name].values.ravel()
        low, middle, high = np.exp(np.quantile(draws, (0.025, 0.5, 0.975)))
        print(f"{name}: {middle:.3f}, between {low:.3f} and {high:.3f}; it was {truth}")
        if abs(np.log(truth) - draws.mean()) > 4.0 * draws.std():
            raise SystemExit("this is not the posterior of the data")


if __name__ == "__main__":
    if importlib.util.find_spec("nutpie"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ArviZ tells of its next version
            main()
    else:
        print('this example needs nutpie: pip install "enzyme_py[nutpie]"')
