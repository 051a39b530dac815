"""Which of very many points a scatter draws: all extremes, and an even share of the rest."""

from __future__ import annotations

import numpy as np

from dashboard.domain.columns import Numbers, Rows
from dashboard.domain.metric import Scale

#: Points that a browser draws as elements within about a second.
MOST_POINTS = 20_000
#: Strips across each axis whose lowest and highest point always stay: finer than a pixel of a wide chart.
_STRIPS = 1500


def scatter_sample(x: Numbers, y: Numbers, x_scale: Scale, y_scale: Scale, most: int = MOST_POINTS) -> Rows:
    """Indices of the points to draw, rising; all of them up to `most`.

    Beyond it, the lowest and the highest point of each narrow strip stay, across either axis: no lone point
    at an edge of the cloud is ever lost. The places left go to every k-th of the others. `x` and `y` are
    finite, and positive on a log axis; `most` should exceed four times the number of strips (6,000).
    """
    if len(x) <= most:
        return np.arange(len(x), dtype=np.intp)
    kept = np.zeros(len(x), dtype=np.bool_)
    for along, across, scale in ((x, y, x_scale), (y, x, y_scale)):
        kept[_extremes(_strips(along, scale), across)] = True
    others = np.flatnonzero(~kept)
    room = max(0, most - int(np.count_nonzero(kept)))
    kept[others[np.linspace(0, len(others) - 1, min(room, len(others))).astype(np.intp)]] = True
    return np.flatnonzero(kept)


def _strips(values: Numbers, scale: Scale) -> Rows:
    """The strip of each value, on the displayed scale."""
    inner = np.log(values) if scale == "log" else values
    low, high = inner.min(), inner.max()
    share = (inner - low) / (high - low) if high > low else np.zeros(len(inner))
    return np.minimum((share * _STRIPS).astype(np.intp), _STRIPS - 1)


def _extremes(strips: Rows, values: Numbers) -> Rows:
    """The rows with the lowest and the highest value of each strip that holds any."""
    order = np.lexsort((values, strips))
    borders = np.flatnonzero(np.diff(strips[order])) + 1
    first, last = np.append(0, borders), np.append(borders, len(order)) - 1
    return np.concatenate((order[first], order[last]))
