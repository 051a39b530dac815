"""The command line: agentx-dashboard ingest | serve | check | sample."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TypeVar

from dashboard import __version__
from dashboard.arguments import DEFAULT_STORE, parser
from dashboard.settings import Settings, SettingsError, load_settings

if TYPE_CHECKING:
    from dashboard.domain.catalog import Catalog

EXIT_UNDERSTOOD, EXIT_REFUSED, EXIT_WRONG_USE = 0, 1, 2
_EXIT_SIGNAL = 128

Step = TypeVar("Step")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives the exit status."""
    _print_anything()
    options = parser().parse_args(arguments)
    try:
        status = _COMMANDS[options.command](options)
        sys.stdout.flush()
    except _WrongUseError as error:
        return _complain(str(error), EXIT_WRONG_USE)
    except KeyboardInterrupt:
        return _complain("Stopped. Nothing half done is visible in the store.", _EXIT_SIGNAL + signal.SIGINT)
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone; Python must not complain about it when it exits either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_UNDERSTOOD
    return status


class _WrongUseError(Exception):
    """A command that cannot be carried out as it was given; the text says why."""


def _ingest(options: argparse.Namespace) -> int:
    from dashboard.domain.catalog import load_catalog
    from dashboard.ingest.pipeline import IngestOptions, ingest
    from dashboard.ingest.summary import lines_for_people
    from dashboard.store.datasets import is_slug
    from dashboard.store.layout import StoreError

    for path in options.paths:
        if not os.path.lexists(path):
            raise _WrongUseError(f"{path}: no such file or folder.")
    store = Path(options.store or os.environ.get("AGENTX_STORE") or DEFAULT_STORE)
    identity = _identity(options.settings)
    catalog = load_catalog(_settings(options).catalog)
    run = (options.run or "").strip() or None
    dataset = options.dataset
    if dataset is not None and not is_slug(dataset):
        raise _WrongUseError(f"--dataset {dataset}: write small letters, digits, dots and hyphens.")
    try:
        with _ended_politely():
            summary = ingest(options.paths, IngestOptions(store, catalog, identity, run, dataset), _progress)
    except StoreError as error:
        raise _WrongUseError(str(error)) from error
    if options.json:
        print(json.dumps(summary.as_json(), indent=1, ensure_ascii=False))
    else:
        print(*lines_for_people(summary, verbose=options.verbose), sep="\n")
        print(f"Look at it: agentx-dashboard serve --store {shlex.quote(str(store))}")
    return summary.exit_code


def _identity(settings: Iterable[str]) -> Mapping[str, str]:
    """The `--set` options as a mapping, each checked."""
    from dashboard.ingest.identity_settings import setting_error

    identity: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        problem = setting_error(key.strip(), value.strip()) if equals else "write KEY=VALUE."
        if problem:
            raise _WrongUseError(f"--set {setting}: {problem}")
        identity[key.strip()] = value.strip()
    return identity


def _progress(steps: Iterable[Step], what: str, total: int | None) -> Iterable[Step]:
    """A bar on a terminal, nothing elsewhere."""
    from tqdm import tqdm

    bar: Iterable[Step] = tqdm(
        steps,
        desc=what,
        total=total,
        unit="",
        leave=False,
        disable=not sys.stderr.isatty(),
        dynamic_ncols=True,
    )
    return bar


def _serve(options: argparse.Namespace) -> int:
    from dashboard import server
    from dashboard.store.layout import Layout, StoreError
    from dashboard.store.manifest import read_manifest

    settings = _settings(options)
    workers = server.default_workers() if options.workers is None else options.workers
    if not 1 <= workers <= 64:
        raise _WrongUseError(f"--workers {workers}: choose a number from 1 to 64.")
    try:
        known = read_manifest(Layout(settings.store))
        server.check_address(settings)
    except (StoreError, server.AddressError) as error:
        raise _WrongUseError(str(error)) from error
    state = "" if known else " (no store yet; pages will say so)"
    print(f"agentx-dashboard {__version__} on http://{settings.host}:{settings.port}", flush=True)
    print(f"store: {settings.store}{state}. Ctrl-C stops it.", flush=True)
    server.serve(settings, workers)
    return EXIT_UNDERSTOOD


def _check(options: argparse.Namespace) -> int:
    from dashboard.ingest.summary import sentence
    from dashboard.store.check import check
    from dashboard.store.layout import StoreError

    settings = _settings(options)
    try:
        findings = check(settings.store)
    except StoreError as error:
        raise _WrongUseError(str(error)) from error
    wrong = [finding for finding in findings if finding.severity == "error"]
    if options.json:
        names = ("artifact", "severity", "code", "field", "detail", "point_id")
        found = [{name: getattr(finding, name) for name in names} for finding in findings]
        print(json.dumps({"store": str(settings.store), "sound": not wrong, "findings": found}, indent=1))
    else:
        for finding in findings:
            print(f"{finding.severity}: {sentence(finding)}")
        print(f"{settings.store}: {'sound' if not wrong else f'{len(wrong):,} errors'}")
    return EXIT_REFUSED if wrong else EXIT_UNDERSTOOD


def _sample(options: argparse.Namespace) -> int:
    from dashboard.domain.catalog import load_catalog
    from dashboard.store.layout import StoreError

    for name in ("seed", "scale", "requests", "ranks"):
        number, least = getattr(options, name), 0 if name == "seed" else 1
        if number is not None and number < least:
            raise _WrongUseError(f"--{name} {number}: choose {least} or a number above.")
    for name in ("requests", "ranks"):
        if getattr(options, name) and not options.scale:
            raise _WrongUseError(f"--{name} says how large --scale makes a point: give both.")
    try:
        return (_scaled if options.scale else _planned)(options, load_catalog(_settings(options).catalog))
    except StoreError as error:
        raise _WrongUseError(str(error)) from error


def _planned(options: argparse.Namespace, catalog: Catalog) -> int:
    """The sample as it is planned, by way of artifacts."""
    from dashboard.ingest.summary import lines_for_people
    from dashboard.simulate.sample import SampleOptions, build_sample

    sample = SampleOptions(Path(options.store), catalog, options.seed, options.artifacts)
    summary = build_sample(sample, _progress)
    print(*lines_for_people(summary, verbose=False), sep="\n")
    return summary.exit_code


def _scaled(options: argparse.Namespace, catalog: Catalog) -> int:
    """A store of any number of points, straight from the simulator."""
    from dashboard.simulate.scale import ScaleOptions, build_scaled

    scale = ScaleOptions(
        Path(options.store), catalog, options.scale, options.requests, options.ranks, options.seed
    )
    print(f"{build_scaled(scale, _progress):,} simulated points in {options.store}")
    return EXIT_UNDERSTOOD


def _settings(options: argparse.Namespace) -> Settings:
    """Settings of the process; the store of the current folder stands before the bundled sample."""
    named = options.store or os.environ.get("AGENTX_STORE")
    here = DEFAULT_STORE if (DEFAULT_STORE / "store.json").is_file() else None
    flags = {
        "store": named or here,
        "host": getattr(options, "host", None),
        "port": getattr(options, "port", None),
    }
    try:
        return load_settings(flags)
    except SettingsError as error:
        raise _WrongUseError(str(error)) from error


def _print_anything() -> None:
    """Names from artifacts hold any character; a terminal that lacks one shows its escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _ended_politely() -> Iterator[None]:
    """SIGTERM ends this like Ctrl-C does, so that scratch files are removed."""
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _complain(message: str, status: int) -> int:
    print(f"agentx-dashboard: {message}", file=sys.stderr)
    return status


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "ingest": _ingest,
    "serve": _serve,
    "check": _check,
    "sample": _sample,
}

if __name__ == "__main__":
    sys.exit(main())
