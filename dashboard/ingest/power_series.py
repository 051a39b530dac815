"""Board power over time: AIPerf's GPU telemetry, and the CSVs of nvidia-smi, amd-smi and DCGM.

Source: data-contracts 6.1, aiperf.md 10. One series a GPU, in watts; a sample holds until the next one.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from dashboard.domain.records import Finding
from dashboard.domain.telemetry import UNSAID, readings
from dashboard.ingest.naming import printable
from dashboard.ingest.run_files import open_lines, open_text
from dashboard.ingest.series_sources import Owner
from dashboard.ingest.server_series import rows_of

#: Whose power, when (epoch ns), how much (W).
Sample = tuple[Owner, int, float]

_POWER_KEYS = ("nvidia_power_usage", "amd_power", "gpu_power_usage")
_DEVICES = ("gpu_index", "index", "gpu", "gpu_id", "card", "device")
_NOT_POWER = ("limit", "cap", "max", "min")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NAIVE = ("%Y/%m/%d %H:%M:%S.%f", "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S")
#: A plain number above this is in milliseconds.
_MILLISECONDS = 1e12
#: Banner lines that amd-smi may print before its header.
_BANNER = 20


class _Telemetry(msgspec.Struct):
    timestamp_ns: int
    telemetry_data: dict[str, float | None]
    gpu_index: int = 0
    hostname: str = ""


_LINE = msgspec.json.Decoder(_Telemetry)


def read_power_series(
    lines: Path | None, tables: Sequence[Path], artifact: str
) -> tuple[pa.Table | None, list[Finding]]:
    """Power of each GPU (columns of `SERIES`, no ids), None where none was recorded; never raises."""
    findings: list[Finding] = []
    for path, reader in ((lines, _of_lines), *((table, _of_table) for table in tables)):
        if path is None:
            continue
        try:
            table = _series(reader(path))
        except (OSError, EOFError, csv.Error, UnicodeError) as error:
            detail = f"{path.name} cannot be read: {printable(str(error), 160)}"
            findings.append(Finding(artifact, "unreadable_power", "warning", detail, path.name))
            continue
        if table is not None:
            return table, findings
    return None, findings


def _series(samples: Iterator[Sample]) -> pa.Table | None:
    found: dict[Owner, dict[int, float]] = {}
    for owner, t_ns, watts in samples:
        if 0 < t_ns < 2**63 and 0 <= watts < 1e6:
            found.setdefault(owner, {})[t_ns] = watts
    hosts = {owner.worker for owner in found}
    parts = []
    for owner, by_time in sorted(found.items()):
        t = np.array(sorted(by_time), np.int64)
        value = np.array([by_time[one] for one in t.tolist()])
        own = owner if len(hosts) > 1 else Owner(rank=owner.rank)
        made = readings(t, value, np.full(len(t), UNSAID, np.int8))
        if len(made):
            parts.append(rows_of("power_w", own, made, "mean"))
    return pa.concat_tables(parts).unify_dictionaries() if parts else None


def _of_lines(path: Path) -> Iterator[Sample]:
    """AIPerf's `gpu_telemetry_export.jsonl`; lines that are none are passed over."""
    with open_lines(path) as stream:
        for line in stream:
            try:
                one = _LINE.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            watts = next(
                (one.telemetry_data.get(key) for key in _POWER_KEYS if key in one.telemetry_data), None
            )
            if watts is not None:
                yield (
                    Owner(worker=printable(one.hostname, 80), rank=str(one.gpu_index)),
                    one.timestamp_ns,
                    watts,
                )


def _of_table(path: Path) -> Iterator[Sample]:
    """A CSV with a time, a device and a power column, whatever units stand in its cells."""
    with open_text(path) as text:
        rows = csv.reader(text, skipinitialspace=True)
        header: dict[str, int] | None = None
        for number, cells in enumerate(rows):
            if header is None:
                header = _columns(cells)
                if header is None and number > _BANNER:
                    return
                continue
            if len(cells) > max(header.values()):
                t_ns, watts = _moment(cells[header["time"]]), _number(cells[header["power"]])
                host = printable(cells[header["host"]], 80) if "host" in header else ""
                if t_ns is not None and watts is not None:
                    yield Owner(worker=host, rank=printable(cells[header["device"]].strip(), 40)), t_ns, watts


def _columns(cells: Sequence[str]) -> dict[str, int] | None:
    """Places of the columns in a header; None where this is none."""
    names = [cell.strip().casefold() for cell in cells]
    power = [n for n, name in enumerate(names) if "power" in name and not any(w in name for w in _NOT_POWER)]
    time = [n for n, name in enumerate(names) if "time" in name]
    device = [names.index(name) for name in _DEVICES if name in names]
    if not (power and time and device):
        return None
    found = {"power": power[0], "time": time[0], "device": device[0]}
    return found | ({"host": names.index("hostname")} if "hostname" in names else {})


def _moment(cell: str) -> int | None:
    """A time as epoch ns: seconds or milliseconds as a number; text without a zone counts as UTC."""
    cell = cell.strip()
    if re.fullmatch(_NUMBER, cell):
        seconds, _, fraction = cell.partition(".")
        if float(cell) > _MILLISECONDS:
            return int(float(cell) * 1e6)
        return int(seconds) * 1_000_000_000 + int((fraction + "0" * 9)[:9])
    for form in _NAIVE:
        try:
            since = datetime.strptime(cell, form).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
        except ValueError:
            continue
        return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000
    return None


def _number(cell: str) -> float | None:
    """The first number of a cell such as `412.34 W`; None for `[N/A]`."""
    found = _NUMBER.search(cell)
    return float(found.group()) if found else None
