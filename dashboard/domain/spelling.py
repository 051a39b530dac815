"""Spellings of names: from what an artifact writes to the candidates a catalog is asked for."""

from __future__ import annotations

from collections.abc import Sequence


def folded(raw: str) -> str:
    """Lower case, without blanks around; dashes and dots stay."""
    return raw.strip().lower()


def hardware_spellings(raw: str) -> tuple[str, ...]:
    """Candidates of a runner label, best first: `cluster:b300-nv` gives itself, `b300-nv`, `b300`."""
    whole = folded(raw)
    runner = whole.rsplit(":", 1)[-1].strip()
    return _distinct((whole, runner, runner.split("-", 1)[0].strip()))


def model_spellings(raw: str, suffixes: Sequence[str]) -> tuple[str, ...]:
    """Candidates of a model id or path, best first; `amd/Kimi-K2.5-MXFP4` ends with `kimi-k2.5`."""
    whole = folded(raw)
    checkpoint = whole.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    bare = checkpoint
    while suffix := next((s for s in suffixes if bare.endswith(s) and len(bare) > len(s)), None):
        bare = bare.removesuffix(suffix)
    return _distinct((whole, checkpoint, bare))


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
