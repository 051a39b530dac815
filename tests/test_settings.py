"""Settings: flags over variables over defaults, and a sentence for each value that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.resources import assets_dir, catalog_dir, sample_store_dir
from dashboard.settings import Settings, SettingsError, load_settings


def test_without_flags_and_variables_the_sample_is_served_on_the_loopback() -> None:
    settings = load_settings({}, {})
    assert settings == Settings()
    assert (settings.store, settings.host, settings.port) == (sample_store_dir(), "127.0.0.1", 8050)


def test_a_flag_wins_over_a_variable() -> None:
    environ = {"AGENTX_STORE": "/srv/a", "AGENTX_PORT": "9000"}
    settings = load_settings({"store": "/srv/b", "port": None}, environ)
    assert (settings.store, settings.port) == (Path("/srv/b"), 9000)


def test_an_empty_variable_is_no_variable() -> None:
    assert load_settings({}, {"AGENTX_STORE": ""}).store == sample_store_dir()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AGENTX_PORT", "eighty", "a port from 0 to 65535"),
        ("AGENTX_PORT", "70000", "a port from 0 to 65535"),
        ("AGENTX_HOST", "a b", "127.0.0.1"),
        ("AGENTX_MEMORY_LIMIT", "lots", "512MB"),
        ("AGENTX_DEADLINE_S", "nan", "seconds"),
        ("AGENTX_QUERY_THREADS", "0", "from 1 to 256"),
        ("AGENTX_CACHE", "redis", "files or memory"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_it_takes(variable: str, value: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings({}, {variable: value})
    assert str(refused.value).startswith(f"{variable}={value}: ") and said in str(refused.value)


def test_a_wrong_flag_is_named_as_the_flag() -> None:
    with pytest.raises(SettingsError, match="--memory-limit=1TB"):
        load_settings({"memory_limit": "1TB"}, {})


def test_what_the_program_brings_along_is_found() -> None:
    assert (catalog_dir() / "aliases.toml").is_file()
    assert (assets_dir() / "url-sync.js").is_file()
