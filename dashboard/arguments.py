"""The grammar of the command line: commands, flags, and the help that people read."""

from __future__ import annotations

import argparse
from pathlib import Path

from dashboard import __version__

#: Where `ingest` writes when nothing is said, and where `serve` and `check` then look first.
DEFAULT_STORE = Path("agentx-store")

_INGEST_HELP = """\
Reads benchmark artifacts into a store and says what became of each.

PATH is any mixture of files, folders and archives (.zip, .tar.gz, .tgz, .gz):
  - InferenceX result rows of every generation (JSON, one object or an array),
    with bmk_agentic_X paired with agentic_X
  - rows of the public API (/api/v1/benchmarks)
  - AIPerf artifact folders and sweeps (profile_export.jsonl, profile_export_aiperf.json)
  - WEKA traces, the recorded sessions that runs replay: a folder of JSON files or one
    traces.jsonl; they become a dataset
Anything else is refused with one line that says what it is.

Ingesting the same artifact again changes nothing. An ingest that is interrupted or
killed leaves the store as it was."""

_INGEST_EPILOG = """\
examples:
  agentx-dashboard ingest --store store results/ more.tar.gz benchmarks.json
  agentx-dashboard ingest --set hardware=b300 --set engine=vllm --set tp=8 runs/
  agentx-dashboard ingest --run "kimi night 3" --json runs/ > summary.json
  agentx-dashboard ingest --dataset cc-traces-weka-062126 traces.jsonl.gz

A file point.toml beside an AIPerf folder says the same as --set, which wins.

exit status: 0 every artifact was understood, 1 something was refused, 2 wrong use"""


def parser() -> argparse.ArgumentParser:
    """The parser; what it gives has the name of the command in `command`."""
    whole = argparse.ArgumentParser(
        prog="agentx-dashboard",
        description="The explorer for agentic LLM-inference benchmark results (InferenceX / AgentX, AIPerf).",
        epilog="Every command has its own --help.",
    )
    whole.add_argument("--version", action="version", version=f"agentx-dashboard {__version__}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    _add_ingest(commands)
    _add_serve(commands)
    _add_check(commands)
    _add_sample(commands)
    return whole


def _add_ingest(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "ingest",
        help="read artifacts into a store",
        description=_INGEST_HELP,
        epilog=_INGEST_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="file, folder or archive")
    _add_store(parser, "folder to write to; made if need be")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="what the artifacts do not say of themselves, such as hardware=b300; may be given several times",
    )
    parser.add_argument(
        "--run", metavar="NAME", help="one name for the run of everything that names none itself"
    )
    parser.add_argument(
        "--dataset",
        metavar="SLUG",
        help="name of the dataset that recorded traces go into; else the name of their folder or file",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every finding")


def _add_serve(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "serve",
        help="show a store in the browser",
        description="Serves the dashboard over a store, opened read-only. New ingests show by themselves.",
    )
    _add_store(parser, "store to show; the bundled sample when there is none")
    parser.add_argument("--host", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", help="port to listen on (8050)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one per core, at most 4)")


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="verify a store",
        description="Verifies a store: columns, the index against its parts by checksum, orphans, leftovers.",
        epilog="exit status: 0 sound, 1 something is wrong, 2 wrong use",
    )
    _add_store(parser, "store to verify")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def _add_sample(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "sample",
        help="simulate a sample store",
        description="Simulates agentic replays of several stacks and ingests what they leave. Nothing of it "
        "is a measurement, and every point says so. Takes some minutes.",
    )
    parser.add_argument("--store", metavar="DIR", required=True, help="folder to write to; made if need be")
    parser.add_argument("--seed", type=int, default=42, help="the same seed gives the same store (42)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--artifacts", metavar="DIR", type=Path, help="keep the artifacts there")
    how.add_argument(
        "--scale",
        metavar="N",
        type=int,
        help="N points for benchmarks, without artifacts: variations of the sample's",
    )
    parser.add_argument(
        "--requests", metavar="M", type=int, help="with --scale: M requests a point (else as simulated)"
    )
    parser.add_argument(
        "--ranks", metavar="R", type=int, help="with --scale: telemetry of R engine ranks a point"
    )


def _add_store(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--store", metavar="DIR", help=f"{what} (else $AGENTX_STORE, else ./{DEFAULT_STORE})")
