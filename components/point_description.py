"""The one description of a point: hover, pinned panel, table and the point's own page say the same in the
same words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from components.point_row import Row, moment, number, text, truth, words
from dashboard.domain.stacks import Naming, label_or_unknown
from dashboard.domain.units import count, percent, seconds, tokens

Tone = Literal["", "failed", "cancelled", "conflict"]

_DEPLOYMENTS = {"single_node": "aggregated", "multi_node": "multi-node", "disaggregated": "disaggregated"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a description: `note` is quieter words behind the value, `code` sets it as a command or
    id.
    """

    label: str
    value: str
    note: str = ""
    tone: Tone = ""
    code: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """Who the point is: the stack in words, its scope, and what the reader must know of its origin."""

    hardware: str | None
    hardware_label: str
    engine_label: str
    precision_label: str
    scope: str
    badges: tuple[str, ...]

    @property
    def stack(self) -> str:
        """The stack in one line: "B300 vLLM FP4"."""
        return f"{self.hardware_label} {self.engine_label} {self.precision_label}"


def headline(row: Row, naming: Naming) -> Headline:
    """The stack, the model with scenario and concurrency, and badges for what is not official."""
    scope = (
        label_or_unknown(naming, "model", text(row, "model")),
        label_or_unknown(naming, "scenario", text(row, "scenario")),
        f"concurrency {count(number(row, 'concurrency')) or 'unknown'}",
    )
    return Headline(
        hardware=text(row, "hardware"),
        hardware_label=label_or_unknown(naming, "hardware", text(row, "hardware")),
        engine_label=label_or_unknown(naming, "engine", text(row, "engine")),
        precision_label=label_or_unknown(naming, "precision", text(row, "precision")),
        scope=" · ".join(scope),
        badges=badges(row),
    )


def badges(row: Row) -> tuple[str, ...]:
    """SIMULATED or UNOFFICIAL; an official measurement carries none."""
    if text(row, "source") == "simulated":
        return ("SIMULATED",)
    return () if truth(row, "official") else ("UNOFFICIAL",)


def offload_words(row: Row, naming: Naming) -> str:
    """Where the KV cache goes beside HBM, and by what: "DRAM, LMCache", "none", "" when the source does not
    say.
    """
    kind = text(row, "offload")
    if kind in (None, "none"):
        return kind or ""
    backend = text(row, "offload_backend")
    where = naming("offload", str(kind))
    return f"{where}, {naming('offload_backend', backend)}" if backend else where


def configuration(row: Row, naming: Naming) -> tuple[Fact, ...]:
    """What was deployed: topology per role, GPUs with the rule that counted them, decoding, offload,
    routing.
    """
    facts = [
        Fact("Topology", _topology(row)),
        Fact("GPUs", count(number(row, "gpus")), text(row, "gpus_rule") or ""),
        *_roles(row),
        *_lengths(row),
        Fact("Spec decoding", _named(row, "spec_method", naming)),
        Fact("KV offload", offload_words(row, naming)),
        Fact("Backend", text(row, "offload_backend_version") or ""),
        Fact("KV transfer", text(row, "kv_transfer") or ""),
        Fact("Router", text(row, "router") or "", text(row, "router_version") or ""),
        Fact("GPU count", text(row, "gpus_conflict") or "", tone="conflict"),
    ]
    always = ("Topology", "GPUs", "Spec decoding", "KV offload")
    return tuple(_or_unknown(fact) if fact.label in always else fact for fact in facts if _said(fact, always))


def _said(fact: Fact, always: tuple[str, ...]) -> bool:
    return bool(fact.value) or fact.label in always


def _or_unknown(fact: Fact) -> Fact:
    return fact if fact.value else Fact(fact.label, "unknown", fact.note)


def _topology(row: Row) -> str:
    deployment = text(row, "deployment") or ""
    parts = (text(row, "topology_label"), _DEPLOYMENTS.get(deployment, deployment))
    return ", ".join(part for part in parts if part)


def _roles(row: Row) -> list[Fact]:
    """One line per role of a disaggregated deployment; an aggregated one is told by its topology."""
    if text(row, "deployment") != "disaggregated":
        return []
    return [fact for role in ("prefill", "decode") if (fact := _role(row, role)).value]


def _role(row: Row, role: str) -> Fact:
    degrees = [
        f"{name.upper()}{count(degree)}"
        for name in ("tp", "pp", "dcp", "pcp", "ep")
        if (degree := number(row, f"{role}_{name}")) is not None and (degree > 1 or name == "tp")
    ]
    workers = number(row, f"{role}_workers")
    parts = [f"{count(workers)} worker{'' if workers == 1 else 's'}"] if workers else []
    parts += [" ".join(degrees)] if degrees else []
    parts += ["DP attention"] if truth(row, f"{role}_dp_attention") else []
    gpus = count(number(row, f"{role}_gpus"))
    return Fact(role.capitalize(), " · ".join(parts), f"{gpus} GPUs" if gpus else "")


def _lengths(row: Row) -> list[Fact]:
    isl, osl = count(number(row, "isl_nominal")), count(number(row, "osl_nominal"))
    return [Fact("Lengths", f"{isl or '?'} in, {osl or '?'} out")] if isl or osl else []


def _named(row: Row, kind: Literal["spec_method"], naming: Naming) -> str:
    name = text(row, kind)
    return naming(kind, name) if name else ""


@dataclass(frozen=True, slots=True)
class Share:
    """One hit rate, 0..1 of the prompt tokens; above 1 is a conflict of sources, shown as it stands."""

    label: str
    share: float
    theoretical: bool = False


def cache_shares(row: Row) -> tuple[Share, ...]:
    """The hit rates that the source has, measured ones first."""
    rates = (
        ("HBM hit", "hbm_hit_rate", False),
        ("Offload hit", "offload_hit_rate", False),
        ("Overall hit", "overall_hit_rate", False),
        ("Theoretical", "theoretical_hit_rate", True),
    )
    found = [(label, number(row, name), theory) for label, name, theory in rates]
    return tuple(Share(label, share, theory) for label, share, theory in found if share is not None)


def cache_note(row: Row) -> str:
    """How much of the theoretical share was reached, and what the rates are based on."""
    reached, most = number(row, "overall_hit_rate"), number(row, "theoretical_hit_rate")
    parts = []
    if reached is not None and most is not None:
        parts.append(f"{percent(reached)} of {percent(most)} reached.")
    basis = text(row, "hit_rate_basis")
    return " ".join([*parts, f"Basis: {basis}."] if basis else parts)


def requests(row: Row) -> tuple[Fact, ...]:
    """Requests by fate, and tokens by who counted them; what nobody counted is left out."""
    facts = (
        Fact("ok", count(number(row, "requests_ok"))),
        _counted(row, "failed", "requests_failed", "failed"),
        _counted(row, "cancelled", "requests_cancelled", "cancelled"),
        Fact("warm-up", count(number(row, "requests_warmup"))),
        Fact("prompt", _tokens(row, "prompt_tokens_client"), "client"),
        Fact("generated", _tokens(row, "generated_tokens_client"), "client"),
        Fact("prompt", _tokens(row, "prompt_tokens_server"), "server"),
        Fact("generated", _tokens(row, "generated_tokens_server"), "server"),
        Fact("duration", seconds(number(row, "duration_s"))),
    )
    return tuple(fact for fact in facts if fact.value)


def _counted(row: Row, label: str, name: str, tone: Tone) -> Fact:
    value = number(row, name)
    return Fact(label, count(value), tone=tone if value else "")


def _tokens(row: Row, name: str) -> str:
    figure = tokens(number(row, name))
    return f"{figure} tok" if figure else ""


def errors(row: Row) -> Mapping[str, int]:
    """Failed requests by category."""
    found = row.get("error_categories")
    return {str(name): int(n) for name, n in found.items()} if isinstance(found, Mapping) else {}


def origin(row: Row) -> tuple[Fact, ...]:
    """Where the figures come from: run, image, time, data set, command, files."""
    attempt = count(number(row, "run_attempt"))
    run = f"{text(row, 'run_id') or 'unknown'}{f', attempt {attempt}' if attempt else ''}"
    facts = (
        Fact("Run", run, _run_basis(row), href=safe_url(text(row, "run_url"))),
        Fact("Image", text(row, "image") or "unknown", code=bool(text(row, "image"))),
        Fact("Measured", moment(row, "measured_at") or moment(row, "run_date") or "unknown"),
        Fact("Data set", text(row, "dataset_slug") or ""),
        Fact("Recipe", text(row, "recipe_fingerprint") or "", code=True),
        Fact("Command", text(row, "command_line") or "", code=True),
        Fact("Files", ", ".join(words(row, "artifacts")), code=True),
        Fact("Taken from a file name", ", ".join(words(row, "named_by_file"))),
    )
    return tuple(fact for fact in facts if fact.value)


def _run_basis(row: Row) -> str:
    said = {
        "sweep": "one AIPerf sweep",
        "folder": "folders of one parent",
        "name": "named by hand",
        "batch": "one batch",
    }
    return said.get(text(row, "run_basis") or "", "")


def safe_url(url: str | None) -> str:
    """The address when it is a web address; text from an artifact is never followed as anything else."""
    return url if url and url.startswith(("https://", "http://")) else ""


def spellings(row: Row) -> tuple[Fact, ...]:
    """The artifact's own words where they differ from the canonical name."""
    names = (
        ("model", "model_raw"),
        ("hardware", "hardware_raw"),
        ("engine", "engine_raw"),
        ("precision", "precision_raw"),
        ("spec_method", "spec_raw"),
        ("offload", "offload_raw"),
    )
    return tuple(
        Fact(name.replace("_", " "), str(text(row, raw)), code=True)
        for name, raw in names
        if text(row, raw) and text(row, raw) != text(row, name)
    )
