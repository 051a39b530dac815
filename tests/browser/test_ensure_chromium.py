"""How the suite finds its browser (no browser needed here)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import ensure_chromium


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "chromium"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_browser_on_the_path_is_found(program: Path) -> None:
    assert ensure_chromium.find_chromium({"PATH": str(program.parent)}) == str(program)


def test_an_explicit_path_wins_and_a_wrong_one_is_not_replaced_by_another_browser(program: Path) -> None:
    path = str(program.parent)
    assert ensure_chromium.find_chromium({"PATH": "", ensure_chromium.VARIABLE: str(program)}) == str(program)
    assert ensure_chromium.find_chromium({"PATH": path, ensure_chromium.VARIABLE: "/nowhere/chrome"}) is None


def test_without_a_browser_and_without_the_right_to_install_the_advice_names_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ensure_chromium, "find_chromium", lambda: None)
    monkeypatch.setattr(ensure_chromium, "can_install", lambda: False)
    assert ensure_chromium.main() == 1
    assert "apt-get install chromium" in capsys.readouterr().err


def test_without_a_browser_debians_is_installed_when_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    monkeypatch.setattr(ensure_chromium, "find_chromium", lambda: installed[0] if installed else None)
    monkeypatch.setattr(ensure_chromium, "can_install", lambda: True)
    monkeypatch.setattr(ensure_chromium, "install", lambda: installed.append("/usr/bin/chromium"))
    assert ensure_chromium.main() == 0
