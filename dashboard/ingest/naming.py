"""Names of artifacts as people know them: where a thing lies, without machine paths or control characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: Between an archive and what lies inside it: `runs.tar.gz!/c16/profile_export.jsonl`.
INSIDE = "!/"

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NOT_SLUG = re.compile(r"[^a-z0-9._+]+")


def printable(text: str, limit: int = 400) -> str:
    """`text` fit for a terminal, a table and UTF-8: control marks and stray bytes become escapes."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    clean = _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", clean)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def slug(text: str) -> str:
    """`text` as lower-case words joined by hyphens, for run ids; never empty."""
    return _NOT_SLUG.sub("-", text.lower()).strip("-.") or "unnamed"


def stem(name: str, suffixes: tuple[str, ...]) -> str:
    """`name` without the first of `suffixes` that it ends in, whatever the case."""
    for suffix in suffixes:
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


@dataclass(frozen=True, slots=True)
class Place:
    """Where an artifact lies: `path` on this machine, `name` for people, `home` from the outermost folder in.

    `home` goes on through archives, and an archive that wraps one folder counts as that folder: runs packed
    one by one and runs lying open side by side stand under the same parent.
    """

    path: Path
    name: str
    home: tuple[str, ...]

    def child(self, name: str) -> Place:
        """The entry `name` of this folder."""
        shown = printable(name)
        joiner = "" if self.name.endswith(INSIDE) else "/"
        return Place(self.path / name, f"{self.name}{joiner}{shown}", (*self.home, shown))

    def inside(self, folder: Path, title: str) -> Place:
        """The inside of this archive, which was unpacked into `folder`; `title` stands for it in `home`."""
        return Place(folder, self.name + INSIDE, (*self.home[:-1], printable(title)))

    @staticmethod
    def given(path: Path) -> Place:
        """The place of a path that a person typed: named by its last component, wherever it lies."""
        parts = path.resolve().parts
        shown = tuple(printable(part) for part in parts[1:]) or ("root",)
        return Place(path, shown[-1], shown)
