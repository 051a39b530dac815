"""Small conversations and deployments for the simulator's tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dashboard.domain.catalog import load_catalog
from dashboard.simulate.conversations import Conversation
from dashboard.simulate.deployment import ENGINES, MODELS, Deployment
from dashboard.simulate.generator import Shape, make_conversations

CATALOG = load_catalog(Path(__file__).parents[2] / "data" / "catalog")
SMALL = Shape(sessions=40, sessions_with_subagents=18, subagent_runs=120)


@cache
def corpus(ratio: float = 0.482, seed: int = 5) -> tuple[Conversation, ...]:
    """Forty sessions in the target model's tokens."""
    return tuple(one.in_tokens_of(ratio) for one in make_conversations(seed, SMALL))


def deployment(hardware: str = "b200", **changes: object) -> Deployment:
    """Eight data-parallel ranks of DeepSeek-V4-Pro, with what the test changes."""
    plan: dict[str, object] = {
        "model": MODELS["dsv4"],
        "accelerator": CATALOG.accelerators[hardware],
        "engine": ENGINES["vllm"],
        "precision": "fp4",
        "gpus": 8,
        "ranks": 2,
        "pool_tokens": 8e6,
    }
    return Deployment(**(plan | changes))  # type: ignore[arg-type]  # a test names what it changes
