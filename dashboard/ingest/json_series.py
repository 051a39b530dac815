"""The series of a server-metrics JSON, one at a time, from a file of any size in bounded memory.

The document is never held: numpy finds quotes and brackets of a piece, and of the structure only the upper
levels are looked at one by one: block, metric, its `series`, one entry. The text of a wanted entry is handed
out; all other bytes are forgotten at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt

#: The largest text of one series that is kept, in bytes: an hour at 1 s is half a megabyte.
LARGEST_SERIES: Final = 32 << 20
BLOCKS: Final = ("metrics", "warmup_metrics")

_PIECE = 1 << 20
_LOOK_BACK = 1024
_QUOTE, _BACKSLASH, _OPEN, _CLOSE, _CASE = 34, 92, 123, 125, 32
#: Depths of the document, its block, a metric, its list of series, one of them.
_BLOCK, _METRIC, _LIST, _ENTRY = 2, 3, 4, 5

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SeriesText:
    """One entry of `series` as JSON text, and whose it is."""

    block: str
    metric: str
    text: bytes


@dataclass(slots=True)
class SeriesScan:
    """What a scan has met: names, entries that were too long; `complete` once the document ended."""

    wanted: Callable[[str], bool]
    names: set[str] = field(default_factory=set)
    too_long: int = 0
    complete: bool = False
    _ended: bool = False
    _depth: int = 0
    _in_string: int = 0
    _backslashes: int = 0
    _before: bytes = b""
    _keys: dict[int, str] = field(default_factory=dict)
    _kept: list[bytes] | None = None
    _kept_size: int = 0

    def read(self, stream: BinaryIO) -> Iterator[SeriesText]:
        """The wanted series in the order of the file. What is no JSON gives none; stream errors pass."""
        while not self._ended and (piece := stream.read(_PIECE)):
            yield from self._scan(piece)

    def _scan(self, piece: bytes) -> Iterator[SeriesText]:
        places, steps = self._brackets(piece)
        after = self._depth + np.cumsum(steps)
        shallow = np.flatnonzero(np.minimum(after, after - steps) < _ENTRY)
        taken = 0
        for place, step, depth in zip(
            places[shallow].tolist(), steps[shallow].tolist(), after[shallow].tolist(), strict=True
        ):
            if step > 0:
                self._enter(piece, place, depth)
                taken = place if depth == _ENTRY else taken
                continue
            if depth == _ENTRY - 1 and self._kept is not None:
                yield from self._entry(piece[taken : place + 1])
            if depth <= 0:
                self.complete, self._ended = depth == 0, True
                return
        if self._kept is not None:
            self._keep(piece[taken:])
        self._depth = int(after[-1]) if len(after) else self._depth
        self._before = (self._before + piece)[-_LOOK_BACK:]

    def _enter(self, piece: bytes, place: int, depth: int) -> None:
        """Notes the key of what opens here; a wanted entry is kept from here on."""
        if depth == _ENTRY:
            block, metric, listed = (self._keys.get(d, "") for d in (_BLOCK, _METRIC, _LIST))
            if block in BLOCKS and listed == "series" and self.wanted(metric):
                self._kept, self._kept_size = [], 0
            return
        self._keys[depth] = _key(
            (self._before + piece[:place])[-_LOOK_BACK:]
            if place < _LOOK_BACK
            else piece[place - _LOOK_BACK : place]
        )
        if depth == _METRIC and self._keys.get(_BLOCK) in BLOCKS:
            self.names.add(self._keys[depth])

    def _keep(self, text: bytes) -> None:
        self._kept_size += len(text)
        if self._kept is not None and self._kept_size <= LARGEST_SERIES:
            self._kept.append(text)

    def _entry(self, text: bytes) -> Iterator[SeriesText]:
        self._keep(text)
        kept, self._kept = self._kept or [], None
        if self._kept_size > LARGEST_SERIES:
            self.too_long += 1
            return
        yield SeriesText(self._keys[_BLOCK], self._keys[_METRIC], b"".join(kept))

    def _brackets(self, piece: bytes) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Places of brackets outside strings, and +1 or -1 for each: opening, closing."""
        letters = np.frombuffer(piece, np.uint8)
        quotes = self._unescaped(letters, np.flatnonzero(letters == _QUOTE))
        folded = letters | _CASE  # `[` and `{` become one, `]` and `}` too
        opening = folded == _OPEN
        places = np.flatnonzero(opening | (folded == _CLOSE))
        outside = (np.searchsorted(quotes, places) + self._in_string) % 2 == 0
        self._in_string = (self._in_string + len(quotes)) % 2
        places = places[outside]
        return places, np.where(opening[places], 1, -1)

    def _unescaped(self, letters: npt.NDArray[np.uint8], quotes: Positions) -> Positions:
        """The quotes that no odd number of backslashes precedes; some may lie in the piece before."""
        carried, backslash = self._backslashes, letters == _BACKSLASH
        if not backslash.any():
            self._backslashes = 0
            return quotes[1:] if carried % 2 and len(quotes) and quotes[0] == 0 else quotes
        others = np.flatnonzero(~backslash)
        self._backslashes = len(letters) - 1 - int(others[-1]) if len(others) else carried + len(letters)
        last = np.searchsorted(others, quotes) - 1
        run = np.where(last >= 0, quotes - others[last] - 1, quotes + carried)
        kept: Positions = quotes[run % 2 == 0]
        return kept


def _key(text: bytes) -> str:
    """The key whose value starts right after `text`; empty in an array."""
    text = text.rstrip()
    if not text.endswith(b":"):
        return ""
    text = text[:-1].rstrip()
    start = text.rfind(b'"', 0, len(text) - 1)
    return text[start + 1 : -1].decode("utf-8", "replace") if text.endswith(b'"') and start >= 0 else ""
