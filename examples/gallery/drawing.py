"""What the pictures have in common: size, colours, and that they are small files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BLUE, ORANGE, GREEN, GREY = "#2b6cb0", "#dd6b20", "#2f855a", "#718096"


def axes(count: int = 1, width: float = 8.0, height: float = 3.0) -> tuple[Any, Any]:
    """Return a figure and its axes, side by side; a single one by itself."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        message = 'the pictures of the gallery take matplotlib: pip install "enzyme-py[plots]"'
        raise ImportError(message) from error
    mpl.use("agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    figure, parts = plt.subplots(1, count, figsize=(width, height), layout="constrained")
    return figure, parts


def save(figure: Any, path: Path) -> None:
    """Write the picture, with nothing in the file that changes from run to run."""
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80, metadata={"Software": None})
    plt.close(figure)
