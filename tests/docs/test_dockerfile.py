"""The production image, read as text: no container can be built where the suite runs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def instructions(name: str, text: str = DOCKERFILE) -> list[str]:
    """The arguments of every instruction `name`, continuation lines joined, comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    return [line.removeprefix(name).strip() for line in joined.splitlines() if line.startswith(f"{name} ")]


def last_stage() -> str:
    return DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]


def test_the_image_runs_as_a_named_user_who_is_not_root() -> None:
    (user,) = instructions("USER", last_stage())
    assert user not in {"root", "0"}
    assert re.search(rf"useradd .*\b{user}\b", " ".join(instructions("RUN", last_stage())))


def test_nothing_is_installed_without_a_hash_from_the_lock_file() -> None:
    installs = [line for line in instructions("RUN") if "pip install" in line]
    assert installs
    assert all("--require-hashes -r requirements.lock" in line or "--no-deps" in line for line in installs)


def test_the_health_check_asks_the_health_route() -> None:
    (check,) = instructions("HEALTHCHECK")
    assert "/healthz" in check and "--timeout=" in check


def test_the_server_listens_outside_the_container_and_reads_the_mounted_store() -> None:
    (command,) = instructions("CMD", last_stage().replace("  CMD", "  check"))
    assert '"--host", "0.0.0.0"' in command and '"--store", "/store"' in command
    assert instructions("EXPOSE") == ["8050"]


def test_the_documented_run_command_mounts_the_store_read_only() -> None:
    assert re.search(r"docker run .*--read-only .*-v \S+:/store:ro", DOCKERFILE)


def test_the_build_gets_each_folder_that_the_wheel_packs() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"]}
    copied = {source for line in instructions("COPY") for source in line.split()[:-1]}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert needed <= copied and needed <= sent
    assert {source for source in copied if not source.startswith(("-", "/"))} <= sent


def test_every_copied_path_exists() -> None:
    for line in instructions("COPY"):
        if not line.startswith("--from"):
            assert all((ROOT / source).exists() for source in line.split()[:-1]), line
