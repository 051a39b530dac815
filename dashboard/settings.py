"""How one process of the dashboard runs: one frozen record, from flags and AGENTX_* variables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dashboard.resources import catalog_dir, sample_store_dir

PREFIX = "AGENTX_"


class SettingsError(ValueError):
    """A flag or variable that cannot be used; the text names it, its value, and what it takes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the store is, where to listen, and how much one process may use.

    `memory_limit` bounds DuckDB in one process, `query_threads` its threads, `deadline_s` one question to the
    store. `cache` is "files" (shared by the workers, in `cache_dir` or a temporary folder) or "memory" (one
    process only).
    """

    store: Path = field(default_factory=sample_store_dir)
    catalog: Path = field(default_factory=catalog_dir)
    host: str = "127.0.0.1"
    port: int = 8050
    memory_limit: str = "1GB"
    query_threads: int = 2
    deadline_s: float = 10.0
    cache: str = "files"
    cache_dir: Path | None = None


def load_settings(
    flags: Mapping[str, object] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Settings from flags (None means not given) over AGENTX_* variables over defaults.

    Raises:
        SettingsError: when a value cannot be used.
    """
    environ = os.environ if environ is None else environ
    flags = flags or {}
    values: dict[str, Any] = {}
    for setting in fields(Settings):
        variable = PREFIX + setting.name.upper()
        if flags.get(setting.name) is not None:
            values[setting.name] = _read(
                setting.name, "--" + setting.name.replace("_", "-"), flags[setting.name]
            )
        elif environ.get(variable):
            values[setting.name] = _read(setting.name, variable, environ[variable])
    return Settings(**values)


def _read(name: str, origin: str, raw: object) -> Any:
    try:
        return _READERS[name](str(raw))
    except ValueError as reason:
        raise SettingsError(f"{origin}={raw}: {reason}") from None


def _number(low: float, high: float, unit: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise ValueError(f"write a number of {unit} from {low:g} to {high:g}")
        return value

    return read


def _whole(low: int, high: int, what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise ValueError(f"write {what} from {low} to {high}")
        return int(text)

    return read


def _memory(text: str) -> str:
    if not re.fullmatch(r"[1-9]\d{0,5}(MB|GB)", text, re.ASCII):
        raise ValueError("write an amount of memory such as 512MB or 1GB")
    return text


def _cache(text: str) -> str:
    if text not in ("files", "memory"):
        raise ValueError("choose files or memory")
    return text


def _host(text: str) -> str:
    if not text.strip() or not text.isprintable() or " " in text:
        raise ValueError("write a host name or address such as 127.0.0.1")
    return text


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError("write the path of a folder")
    return Path(text).expanduser()


_READERS: Mapping[str, Callable[[str], Any]] = {
    "store": _path,
    "catalog": _path,
    "host": _host,
    "port": _whole(0, 65535, "a port"),
    "memory_limit": _memory,
    "query_threads": _whole(1, 256, "a number of threads"),
    "deadline_s": _number(0.1, 3600, "seconds"),
    "cache": _cache,
    "cache_dir": _path,
}
