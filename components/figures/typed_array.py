"""Numbers as plotly takes them fastest: base64 of a typed array, a third of the size of a list in JSON."""

from __future__ import annotations

import base64
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

DType = Literal["f4", "f8", "i4", "u1", "u2"]


def packed(values: ArrayLike, dtype: DType = "f8") -> dict[str, Any]:
    """Plotly's typed-array spec of one-dimensional numbers; NaN stays a gap.

    f8 keeps a measured value exactly; f4 is enough for an interpolated line.
    """
    data = np.ascontiguousarray(values, dtype=f"<{dtype}")
    return {"dtype": dtype, "bdata": base64.b64encode(data.tobytes()).decode("ascii")}
