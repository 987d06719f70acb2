"""A PyTorch network with a layer of physics: it learns the friction of a pendulum from what the pendulum does.

A small network says how strong the friction is at each speed; the layer integrates the pendulum with it, in a kernel. Training sends gradients
through the integrator into the network.
"""

import importlib.util

import numpy as np

STEPS, H = 300, 0.02
SPEEDS = np.linspace(0.0, 3.0, 16)


def swing(friction, angle, speeds):
    """Return the angles of a pendulum whose friction is given at some speeds, and linear between these."""
    angles = np.empty(STEPS)
    rate = 0.0
    width = speeds[1] - speeds[0]
    for i in range(STEPS):
        place = min(abs(rate) / width, speeds.size - 1.001)
        left = int(place)
        part = place - left
        force = (1.0 - part) * friction[left] + part * friction[left + 1]
        rate -= H * (np.sin(angle) + force * rate)
        angle += H * rate
        angles[i] = angle
    return angles


def main():
    import torch

    from enzyme_py.bridges.torch import wrap

    torch.manual_seed(0)
    pendulum = wrap(swing)
    speeds = torch.from_numpy(SPEEDS)
    truth = 0.1 + 0.05 * speeds**2
    starts = (0.5, 1.5, 2.5)
    seen = [pendulum(truth, one, speeds) for one in starts]
    network = torch.nn.Sequential(
        torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1), torch.nn.Softplus()
    ).double()
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    for step in range(300):
        optimiser.zero_grad()
        friction = network(speeds[:, None]).ravel()
        loss = sum(((pendulum(friction, start, speeds) - one) ** 2).mean() for start, one in zip(starts, seen, strict=True))
        loss.backward()
        optimiser.step()
        if step % 100 == 0:
            print(f"step {step}: misfit {loss.item():.2e}")
    found = network(speeds[:, None]).ravel().detach()
    reached = 9  # the speeds that the pendulum has
    error = (found - truth)[:reached].abs().max().item()
    print(f"misfit {loss.item():.2e}, friction known to {error:.3f}")
    if error > 0.05:
        raise SystemExit("this is not the friction of the data")


if __name__ == "__main__":
    if importlib.util.find_spec("torch"):
        main()
    else:
        print('this example needs PyTorch: pip install "enzyme_py[torch]"')
