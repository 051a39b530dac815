"""What the documents name exists: links, files, commands, flags, parameters, columns."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.cli import main
from dashboard.links import CURVES_PARAMETERS, POINT_PARAMETERS
from dashboard.links.datasets import CONVERSATION_PARAMETERS, DATASET_PARAMETERS, DATASETS_PARAMETERS
from dashboard.links.timeline import TIMELINE_PARAMETERS
from dashboard.settings import Settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "data" / "sample" / "README.md",
]
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(path: Path) -> str:
    return CODE_BLOCK.sub("", path.read_text())


def anchor(heading: str) -> str:
    """The fragment that a forge makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    return {anchor(line.lstrip("#")) for line in prose(path).splitlines() if line.startswith("#")}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_link_between_documents_resolves(document: Path) -> None:
    for target in LINK.findall(prose(document)):
        if "://" in target:
            continue
        path, _, fragment = target.partition("#")
        resolved = (document.parent / path).resolve() if path else document
        assert resolved.exists(), f"{name_of(document)} links to {target}"
        assert not fragment or fragment in anchors(resolved), f"{name_of(document)} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_path_that_a_document_names_exists(document: Path) -> None:
    rooms = ("dashboard/", "components/", "assets/", "tests/", "benchmarks/", "data/", "docs/", ".ci/")
    for words in CODE.findall(document.read_text()):
        if words.startswith(rooms) and not re.search(r"[<>*{ ]", words):
            assert (ROOT / words).exists(), f"{name_of(document)} names {words}"


def commands_of_the_makefile() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_make_command_exists(document: Path) -> None:
    text = document.read_text()
    named = re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)
    assert set(named) <= commands_of_the_makefile()


def help_of(*arguments: str) -> str:
    """What the program prints for `--help`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit):
        main([*arguments, "--help"])
    return printed.getvalue()


def subcommands() -> dict[str, set[str]]:
    """The program's commands, each with its flags."""
    commands = re.findall(r"^    ([a-z]+) {2,}", help_of(), re.MULTILINE)
    return {name: set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", help_of(name))) for name in commands}


def command_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each `agentx-dashboard COMMAND ...` of a document: the command and the flags that follow it."""
    for command, rest in re.findall(r"agentx-dashboard (ingest|serve|check|sample)\b([^\n`]*)", text):
        yield command, re.findall(r"(?<!\S)--[a-z][a-z-]*", rest)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_flag_of_a_shown_command_exists(document: Path) -> None:
    known = subcommands()
    for command, flags in command_lines(document.read_text()):
        assert set(flags) <= known[command], f"{name_of(document)}: agentx-dashboard {command}"


def test_the_readme_shows_each_command_of_the_program() -> None:
    assert {command for command, _ in command_lines((ROOT / "README.md").read_text())} == set(subcommands())


def test_the_readme_names_every_setting_and_no_other() -> None:
    named = set(re.findall(r"`(AGENTX_[A-Z_]+)`", (ROOT / "README.md").read_text()))
    assert named == {f"AGENTX_{name.upper()}" for name in Settings.__slots__}


def parameter_tables() -> list[list[list[str]]]:
    """The cells of the two tables of parameters: of Curves, and of the other pages."""
    parts = (ROOT / "docs" / "state-and-urls.md").read_text().split("## Parameters of the other pages")
    return [
        [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| `")] for part in parts
    ]


def test_the_table_of_parameters_is_the_one_of_the_code() -> None:
    named = [word for cells in parameter_tables()[0] for word in CODE.findall(cells[0])]
    assert len(named) == len(set(named))
    assert set(named) == {parameter.name for parameter in CURVES_PARAMETERS}


def test_the_parameters_of_the_other_pages_are_those_of_the_code() -> None:
    pages = {
        "/point/<id>": POINT_PARAMETERS,
        "/point/<id>/timeline": TIMELINE_PARAMETERS,
        "/datasets": DATASETS_PARAMETERS,
        "/datasets/<name>": DATASET_PARAMETERS,
        "/datasets/<name>/conversations/<id>": CONVERSATION_PARAMETERS,
    }
    told = {CODE.findall(page)[0]: CODE.findall(words) for page, words in parameter_tables()[1]}
    assert told.keys() == pages.keys()
    for page, parameters in pages.items():
        names = {parameter.name for parameter in parameters} - {"theme"}
        assert names == {word for word in told[page] if word in names or re.fullmatch("[a-z]+", word)}, page


def test_every_decision_is_listed_with_its_own_title() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text()
    records = sorted(folder.glob("[0-9]*.md"))
    assert records
    for number, record in enumerate(records, start=1):
        title = record.read_text().splitlines()[0].removeprefix("# ")
        assert f"- [{title}]({record.name})" in index
        assert record.name.startswith(f"{number:04d}-") and title.startswith(f"{number}. ")


def test_a_decision_is_about_ten_lines_and_says_why() -> None:
    for record in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        text = record.read_text()
        assert len(text.splitlines()) <= 20, record.name
        assert "**Decided.**" in text and "**Why.**" in text, record.name


def test_no_committed_document_names_a_machine() -> None:
    for document in DOCUMENTS:
        here = rf"{re.escape(str(ROOT.parent))}/|{re.escape(str(Path.home()))}/|/home/\w"
        assert not re.search(here, document.read_text()), name_of(document)
