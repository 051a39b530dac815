"""Errors of requests: category and message (data-contracts 3.3), and streams that broke unrecorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

#: Category of a success that looks like a stream ended by an error event.
SUSPECTED = "suspected stream error"
SUSPECTED_MESSAGE = (
    "Counted as a success by the client, but without the token usage that other requests carry."
)

_CATEGORY_FIELDS: Final = ("type", "error_type", "code", "class", "status")
_CATEGORY_LENGTH = 120
_MESSAGE_LENGTH = 500
_CANCELLED: Final = frozenset({"RequestCancellationError", "499"})


def category(error: Any) -> str | None:
    """The category of one `error` field, None where there was no error."""
    if not error:
        return None
    if not isinstance(error, Mapping):
        return _headline(error)
    named = next((str(error[key]) for key in _CATEGORY_FIELDS if _says(error.get(key))), None)
    return _clean(named, _CATEGORY_LENGTH) if named else _headline(error.get("message"))


def message(error: Any) -> str | None:
    """What the server or the client said, cut to 500 characters."""
    if not error:
        return None
    said = error.get("message") if isinstance(error, Mapping) else error
    return _clean(str(said), _MESSAGE_LENGTH) if _says(said) else None


def is_cancellation(error: Any) -> bool:
    """Whether the error is the client's own cancellation (code 499)."""
    if not isinstance(error, Mapping):
        return False
    return any(str(error.get(key)) in _CANCELLED for key in ("type", "code"))


def silent(succeeded: npt.NDArray[np.bool_], has_usage: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Successes without token usage in a run whose successes mostly carry it.

    An error event inside a stream ends it early; the client records a short success without usage.
    """
    carrying = int(np.count_nonzero(succeeded & has_usage))
    lacking = succeeded & ~has_usage
    return lacking if carrying > np.count_nonzero(lacking) else np.zeros_like(lacking)


def _headline(said: Any) -> str:
    first = str(said).strip().splitlines()[0] if _says(said) else ""
    return _clean(first.partition(":")[0].strip(), _CATEGORY_LENGTH) or "unknown"


def _says(value: Any) -> bool:
    return value is not None and value is not False and str(value).strip() != ""


def _clean(text: str, length: int) -> str:
    return text[:length].encode("utf-8", "replace").decode("utf-8")
