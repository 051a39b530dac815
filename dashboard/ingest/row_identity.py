"""What a result row says about its deployment and its run, in every generation of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dashboard.domain.identity import RawIdentity, RunIdentity
from dashboard.domain.records import Role
from dashboard.ingest.row_fields import Fields

_CI_RUN = re.compile(r"/actions/runs/(\d{1,20})(?:/attempts/(\d{1,9}))?")
_WEB = re.compile(r"https?://[^\s<>\"']+")
_ROLES = ("prefill", "decode")
#: What `--set` may fill in where a row is silent.
_SETTABLE = (
    "model", "hardware", "engine", "precision", "offload", "offload_backend", "offload_backend_version",
    "kv_transfer", "router", "router_version", "image", "recipe_fingerprint",
)  # fmt: skip


def harness_identity(row: Fields) -> RawIdentity:
    """The deployment of a row of the benchmark harness, flat or nested (data-contracts 2.1 to 2.6)."""
    split = _has_split_topology(row)
    multi_node = row.flag("is_multinode")
    router = row.values.get("router")
    prefill, decode = (_split_role(row, name) for name in _ROLES) if split else (Role(), _shared_role(row))
    if multi_node and not split:
        row.report(
            "no_roles",
            "warning",
            "spans nodes, but says nothing of its roles; `tp` is a sum and is not used",
            "tp",
        )
        decode = Role()
    backend, backend_version = _named(row, "kv_offload_backend", "offload_backend")
    router_name, router_version = _named(row, "router") if router is not None else (None, None)
    return RawIdentity(
        model=row.text("model"),
        model_key=row.text("infmax_model_prefix"),
        hardware=row.text("hw"),
        engine=row.text("framework"),
        precision=row.text("precision"),
        spec_method=row.text("spec_decoding") or "none",
        offload=_offload(row),
        offload_backend=backend,
        offload_backend_version=backend_version,
        disaggregated=row.flag("disagg"),
        multi_node=split if multi_node is None else multi_node,
        prefill=prefill,
        decode=decode,
        gpus=row.degree("num_gpus"),
        kv_transfer=row.text("kv_p2p_transfer"),
        router=router_name,
        router_version=router_version,
        image=_image(row),
        recipe_fingerprint=row.text("recipe_fingerprint"),
    )


def api_identity(row: Fields) -> RawIdentity:
    """The deployment of a row of the public API (data-contracts 8.3)."""
    prefill, decode = (_split_role(row, name) for name in _ROLES)
    return RawIdentity(
        model=row.text("model"),
        hardware=row.text("hardware"),
        engine=row.text("framework"),
        precision=row.text("precision"),
        spec_method=row.text("spec_method") or "none",
        offload=_offload(row),
        offload_backend=row.text("kv_offload_backend"),
        offload_backend_version=row.text("kv_offload_backend_version"),
        disaggregated=row.flag("disagg"),
        multi_node=row.flag("is_multinode"),
        prefill=prefill,
        decode=decode,
        gpus=row.degree("num_gpus"),
        kv_transfer=row.text("kv_p2p_transfer"),
        router=row.text("router_name"),
        router_version=row.text("router_version"),
        image=_image(row),
        recipe_fingerprint=row.text("recipe_fingerprint"),
    )


def completed(raw: RawIdentity, said_by_user: Mapping[str, str]) -> tuple[RawIdentity, tuple[str, ...]]:
    """Fill what a row leaves out from `--set`; with the names of what was filled. What a row says stands."""
    silent: dict[str, Any] = {
        name: value
        for name, value in said_by_user.items()
        if name in _SETTABLE and getattr(raw, name) is None and value.strip()
    }
    return (replace(raw, **silent) if silent else raw), tuple(sorted(silent))


def run_identity(row: Fields, run_name: str | None, batch: str) -> RunIdentity:
    """The run of a row: its CI run and attempt; else the name the user gave; else the file it came in."""
    url = _url(row)
    date, measured_at = row.day("date"), row.moment("run_started_at")
    found = _CI_RUN.search(url) if url else None
    if found:
        attempt = int(found.group(2)) if found.group(2) else row.count("run_attempt")
        return RunIdentity(found.group(1), "ci", attempt, url, date, measured_at)
    attempt = row.count("run_attempt")
    if number := _workflow_run(row):
        return RunIdentity(number, "ci", attempt, url, date, measured_at)
    if run_name:
        return RunIdentity(run_name, "name", attempt, url, date, measured_at)
    return RunIdentity(batch, "batch", attempt, url, date, measured_at)


def _workflow_run(row: Fields) -> str | None:
    """The site's own number of a run, which API rows carry beside the address or instead of it."""
    if isinstance(row.values.get("workflow_run_id"), str):
        return row.text("workflow_run_id")
    number = row.count("workflow_run_id")
    return str(number) if number else None


def _url(row: Fields) -> str | None:
    url = row.text("run_url")
    if url is not None and _WEB.fullmatch(url) is None:
        row.report("not_a_link", "warning", "is not a web address; no link is made of it", "run_url")
        return None
    return url


def _has_split_topology(row: Fields) -> bool:
    return any(
        row.values.get(f"{role}_{name}") is not None for role in _ROLES for name in ("tp", "num_workers")
    )


def _shared_role(row: Fields) -> Role:
    return Role(
        tp=row.degree("tp"),
        pp=row.degree("pp"),
        dcp=row.degree("dcp_size"),
        pcp=row.degree("pcp_size"),
        ep=row.degree("ep"),
        dp_attention=row.flag("dp_attention"),
    )


def _split_role(row: Fields, role: str) -> Role:
    return Role(
        workers=row.degree(f"{role}_num_workers"),
        tp=row.degree(f"{role}_tp"),
        pp=row.degree(f"{role}_pp"),
        dcp=row.degree(f"{role}_dcp_size"),
        pcp=row.degree(f"{role}_pcp_size"),
        ep=row.degree(f"{role}_ep"),
        dp_attention=row.flag(f"{role}_dp_attention"),
        gpus=row.degree(f"num_{role}_gpu"),
    )


def _offload(row: Fields) -> str | None:
    """Where the KV cache goes, in the three spellings of the years; JSON's true and false count as words."""
    for key in ("kv_offloading", "offload_mode", "offloading"):
        value = row.values.get(key)
        if isinstance(value, bool):
            return str(value).lower()
        if word := row.text(key):
            return word
    return None


def _named(row: Fields, *keys: str) -> tuple[str | None, str | None]:
    """Name and version of `{name, version?}` or of a bare name."""
    for key in keys:
        value = row.values.get(key)
        if isinstance(value, str):
            return row.text(key), None
        if value is not None:
            named = row.inside(key)
            return named.text("name"), named.text("version")
    return None, None


def _image(row: Fields) -> str | None:
    """The container image; file names wrote `#` for `/`."""
    image = row.text("image")
    return image.replace("#", "/") if image else None


def other_hardware(row: Fields) -> str | None:
    """A sentence where prefill and decode run on different accelerators, else None."""
    prefill, decode = row.text("prefill_hw"), row.text("decode_hw")
    if prefill and decode and prefill.lower() != decode.lower():
        return f"prefill runs on {prefill}, decode on {decode}"
    return None
