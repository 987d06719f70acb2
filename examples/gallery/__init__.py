"""Programs with a picture and a story each; docs/gallery.md tells the stories.

    python -m examples.gallery                  # all of them, one after another
    python -m examples.gallery rocket hmc       # some
    python -m examples.gallery --pictures       # and draw what docs/gallery/ holds

Each has `main(short=False, picture=None)`: it prints what it found and returns the figures that its story rests on.
`short` takes less data or fewer steps; `picture` names the file to draw, which takes matplotlib.
"""

PROGRAMS = (
    "rocket",
    "ode_fit",
    "heat",
    "waves",
    "mixture",
    "bundle",
    "rnn",
    "molecules",
    "lenses",
    "hmc",
    "c_orbit",
)
