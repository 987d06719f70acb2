"""What lies under the ground, from echoes: acoustic waves, and a gradient through every step of time within a budget.

A shot at the surface sends a wave down; microphones at the surface hear what comes back. The speed of sound in each cell
is sought, so that the computed echoes are the measured ones (full waveform inversion). Reverse mode needs the waves of
all steps, from last to first: `checkpoint` keeps as many as fit into the budget and computes the others again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

BUDGET = 400e3  # bytes of kept waves
SHOTS = (8, 20, 32)
DEEP, WIDE, STEPS = 30, 40, 300
COURANT2 = 0.2  # (speed of sound x step of time / cell)^2 where nothing is buried
TOP = 3  # row of shots and microphones
FADE = 0.02  # at the borders, so that little comes back from there


@enzyme.jit
def step(state, t, speed2, data, shot):
    """Return both last waves and the misfit, one step later."""
    before, now, misfit = state
    n, m = now.shape
    after = np.zeros((n, m))
    for i in range(1, n - 1):
        edge_i = min(i, n - 1 - i)
        for j in range(1, m - 1):
            edge = max(0, 5 - min(edge_i, j, m - 1 - j))
            fade = FADE * edge * edge / 5.0
            around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * now[i, j]
            after[i, j] = (2.0 - fade) * now[i, j] - (1.0 - fade) * before[i, j] + speed2[i, j] * around
    s = 0.25 * (t - 20.0)
    after[TOP, shot] += (1.0 - 2.0 * s * s) * np.exp(-s * s)
    for j in range(m):
        off = after[TOP, j] - data[t, j]
        misfit += 0.5 * off * off
    return now, after, misfit


def misfit(logs, data, shot, steps, budget):
    """Return how far the echoes of one shot are from those measured; `logs` are of (speed / usual speed)^2."""
    speed2 = COURANT2 * np.exp(logs)
    still = np.zeros(logs.shape), np.zeros(logs.shape), 0.0
    return enzyme.checkpoint(step, still, steps, (speed2, data, shot), memory=budget)[2]


@enzyme.jit
def echoes(logs, shot, steps):
    """Return what the microphones hear."""
    data = np.zeros((steps, logs.shape[1]))
    state = np.zeros(logs.shape), np.zeros(logs.shape), 0.0
    for t in range(steps):
        state = step(state, t, COURANT2 * np.exp(logs), np.zeros(data.shape), shot)
        data[t] = state[1][TOP]
    return data


def buried():
    """Return a ground with a fast stone in it, and a slow one."""
    i, j = np.mgrid[0:DEEP, 0:WIDE]
    fast = np.exp(-((i - 13.0) ** 2 + (j - 13.0) ** 2) / 8.0)
    slow = np.exp(-((i - 16.0) ** 2 + (j - 27.0) ** 2) / 8.0)
    return 0.3 * fast - 0.3 * slow


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Find the stones."""
    steps, turns = (140, 6) if short else (STEPS, 60)
    true = buried()
    heard = [echoes(true, shot, steps) for shot in SHOTS]
    slope = enzyme.value_and_grad(misfit)

    def all_shots(flat):
        logs = flat.reshape(true.shape)
        parts = [slope(logs, data, shot, steps, BUDGET) for shot, data in zip(SHOTS, heard, strict=True)]
        gradient = sum(part[1] for part in parts)
        gradient[: TOP + 3] = 0.0  # known ground, where the shots are
        return sum(part[0] for part in parts), gradient.ravel()

    first = all_shots(np.zeros(true.size))[0]
    found = minimize(all_shots, np.zeros(true.size), jac=True, method="L-BFGS-B", options={"maxiter": turns})
    logs = found.x.reshape(true.shape)
    likeness = float(np.corrcoef(logs.ravel(), true.ravel())[0, 1])
    given = np.zeros(true.shape), heard[0], SHOTS[0], steps
    peaks = [enzyme.inspect.memory(misfit, *given, one).peak for one in (BUDGET, 1e9)]
    same = np.array_equal(*(slope(*given, one)[1] for one in (BUDGET, 1e9)))
    print(
        f"waves: misfit {first:.3f} -> {found.fun:.1e}; likeness of the maps {likeness:.2f}; "
        f"a gradient takes {peaks[0] / 1e6:.1f} MB, with all waves kept {peaks[1] / 1e6:.1f} MB"
    )
    if picture is not None:
        _draw(picture, true, logs, heard[0])
    return {"first": first, "misfit": float(found.fun), "likeness": likeness, "peak": float(peaks[0]), "peak_all": float(peaks[1]), "same": same}


def _draw(picture, true, found, heard):
    from examples.gallery import drawing

    figure, (left, middle, right) = drawing.axes(3)
    for axes, logs, title in ((left, true, "speed of sound, true"), (middle, found, "found")):
        axes.imshow(logs, cmap="RdBu_r", vmin=-0.3, vmax=0.3)
        axes.plot(SHOTS, [TOP] * 3, "v", color=drawing.GREY, ms=5)
        axes.set(title=title, xticks=[], yticks=[])
    right.imshow(heard, aspect="auto", cmap="gray", vmin=-0.3, vmax=0.3)
    right.set(title="what is heard", xlabel="microphone", ylabel="time", xticks=[], yticks=[])
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
