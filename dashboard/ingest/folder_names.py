"""Identity that a run carries in its name only, such as `b200-kimik2.5-tp8-c16-lmcache` or a RESULT_FILENAME.

A name is the last resort: what comes from here is marked (`Point.named_by_file`), for readers to doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from dashboard.domain.catalog import Catalog, Kind
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.client_summary import mapping, sequence, text
from dashboard.ingest.documents import read_json

_SEPARATORS = re.compile(r"[-_\s/]+")
_DEGREE = re.compile(r"(tp|pp|dcp|pcp|ep|nw)(\d{1,4})")
_DP_ATTENTION = re.compile(r"dpa?(true|false)")
_CONCURRENCY = re.compile(r"(?:conc|concurrency|c)(\d{1,6})")
_OFFLOADING = re.compile(r"(no)?offload(?:ing)?([a-z0-9.]*)")
_SPOKEN_PAIR = re.compile(r"(?:^|_)(disagg|spec)-([A-Za-z0-9.]+)")
_CATALOG_KINDS: Final[tuple[Kind, ...]] = ("hardware", "engine", "precision", "offload_backend", "model")
_INDEX = "index.json"


def names_of(folder: Path) -> tuple[str, ...]:
    """Names that may speak for a run folder, the most telling last: its own, then its source in an index."""
    own = folder.name if folder.name != "aiperf_artifacts" else folder.parent.name
    sweep_cell = re.fullmatch(r"concurrency_\d+|trial_\d+|run_\d+", own)
    above = [folder.parent.name] if sweep_cell else []
    return (*above, own, *_indexed(folder))


def identity_in(names: Iterable[str], catalog: Catalog) -> dict[str, str]:
    """Settings (keys of `identity_settings`) that the names spell out; a later name wins."""
    found: dict[str, str] = {}
    for name in names:
        found |= dict(_identity_in(name, catalog))
    if found.get("offload") == "none":
        found.pop("offload_backend", None)  # an experiment's name covers its runs without offload too
    return found


def _identity_in(name: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    for word, value in _SPOKEN_PAIR.findall(name):
        if word == "spec":
            yield "spec_method", value.lower()
        elif value.lower() == "true":
            yield "deployment", "disaggregated"
    role = ""
    seen: set[str] = set()
    for token in _words(_SEPARATORS.split(name.lower()), catalog):
        role = _role_after(token, role)
        for key, value in _meaning(token, catalog):
            place = f"{role}{key}" if _DEGREE.fullmatch(token) or _DP_ATTENTION.fullmatch(token) else key
            if place not in seen:
                seen.add(place)
                yield place, value


def _words(tokens: Sequence[str], catalog: Catalog) -> Iterator[str]:
    """The tokens, those joined again that the catalog knows as one name: `dynamo-vllm`, `kimi-k2.5`."""
    position = 0
    while position < len(tokens):
        spans = ("-".join(tokens[position : position + length]) for length in (3, 2))
        word = next((span for span in spans if "-" in span and _kind_of(span, catalog)), tokens[position])
        position += word.count("-") + 1
        yield word


def _role_after(token: str, role: str) -> str:
    """Degrees after the word `prefill` or `decode` belong to that role."""
    if token in ("prefill", "decode"):
        return f"{token}_"
    return "" if token in ("disagg", "spec") else role


def _meaning(token: str, catalog: Catalog) -> Iterator[tuple[str, str]]:
    if match := _DEGREE.fullmatch(token):
        yield "workers" if match.group(1) == "nw" else match.group(1), str(int(match.group(2)))
    elif match := _DP_ATTENTION.fullmatch(token):
        yield "dp_attention", match.group(1)
    elif match := _CONCURRENCY.fullmatch(token):
        yield "concurrency", str(int(match.group(1)))
    elif match := _OFFLOADING.fullmatch(token):
        yield "offload", "none" if match.group(1) else match.group(2) or "on"
    elif kind := _kind_of(token, catalog):
        yield kind, token


def _kind_of(word: str, catalog: Catalog) -> Kind | None:
    """What the catalog knows a word as, spelled exactly like that."""
    for kind in _CATALOG_KINDS:
        if word != "none" and (word in catalog.names(kind) or word in catalog.aliases.get(kind, {})):
            return kind
    return None


def _indexed(folder: Path) -> Iterator[str]:
    """The last two folders of the `source` that an `index.json` beside the run gives it."""
    path = folder.parent / _INDEX
    if not path.is_file():
        return
    try:
        entries = sequence(read_json(path))
    except (OSError, RefusedError):
        return
    for entry in entries:
        source = text(mapping(entry).get("source"))
        if source and mapping(entry).get("dir") == folder.name:
            yield from source.rstrip("/").split("/")[-2:]
            return
