"""What serves the requests: a model on accelerators as a roofline, with the sizes of its KV-cache tiers.

Data-sheet figures come from the catalog. What no data sheet tells (KV bytes per token, achieved shares of the
peaks, fixed cost of a step) is assumed here, in the open: the simulator shows how load behaves, not how fast
a product is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from dashboard.domain.catalog import Accelerator
from dashboard.simulate.conversations import BLOCK_TOKENS

Offload = Literal["none", "dram"]
Routing = Literal["least_lanes", "least_tokens", "hash"]

#: Host memory of a server that a KV tier may take, bytes (data-contracts 10.2: at most 3 TB a server).
HOST_BYTES_PER_SERVER = 2.9e12
_HBM_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class ModelShape:
    """One model: parameters, KV bytes per token, FLOPs of attention per token and context token.

    `kv_read_share` is the share of the cached bytes that a decoding step reads (sparse attention: below 1);
    `token_ratio` is tokens of its tokeniser per recorded token. Parameters are public where the catalog has
    them; the rest is assumed.
    """

    key: str
    checkpoint: str
    parameters: float
    active_parameters: float
    kv_bytes_per_token: float
    kv_read_share: float
    attention_flops: float
    token_ratio: float


@dataclass(frozen=True, slots=True)
class EngineShape:
    """One serving engine: achieved shares of compute and bandwidth, fixed seconds of a step (all assumed)."""

    key: str
    compute_share: float
    bandwidth_share: float
    step_overhead_s: float
    prefill_budget: int


MODELS: Mapping[str, ModelShape] = MappingProxyType(
    {
        shape.key: shape
        for shape in (
            ModelShape("dsv4", "deepseek-ai/DeepSeek-V4-Pro", 1.6e12, 49e9, 24e3, 0.15, 1e5, 0.482),
            ModelShape("glm5.2", "zai-org/GLM-5.2", 744e9, 40e9, 40e3, 0.15, 1e5, 0.51),
            ModelShape("minimaxm3", "MiniMaxAI/MiniMax-M3", 428e9, 20e9, 36e3, 0.25, 8e4, 0.49),
        )
    }
)
ENGINES: Mapping[str, EngineShape] = MappingProxyType(
    {
        shape.key: shape
        for shape in (
            EngineShape("vllm", 0.45, 0.52, 0.0090, 8192),
            EngineShape("sglang", 0.44, 0.50, 0.0085, 8192),
            EngineShape("trt", 0.48, 0.55, 0.0075, 8192),
            EngineShape("dynamo-vllm", 0.45, 0.52, 0.0090, 16384),
            EngineShape("atom", 0.43, 0.52, 0.0088, 8192),
        )
    }
)
_BYTES_PER_PARAMETER: Mapping[str, float] = MappingProxyType({"fp4": 0.53, "fp8": 1.0, "bf16": 2.0})


@dataclass(frozen=True, slots=True)
class Deployment:
    """One configuration under test, with `ranks` data-parallel ranks; `prefill_gpus` > 0 splits the roles.

    `pool_tokens` and `host_tokens` override what the memory sizes give. `acceptance` is tokens per decoding
    step: 1 without speculative decoding.
    """

    model: ModelShape
    accelerator: Accelerator
    engine: EngineShape
    precision: str
    gpus: int
    ranks: int
    offload: Offload = "none"
    acceptance: float = 1.0
    prefill_gpus: int = 0
    prefill_ranks: int = 0
    routing: Routing = "least_lanes"
    pool_tokens: float | None = None
    host_tokens: float | None = None
    largest_batch: int = 256
    failure_rate: float = 0.0

    @property
    def disaggregated(self) -> bool:
        """Whether prefill and decode run on different GPUs."""
        return self.prefill_gpus > 0

    @property
    def weight_bytes(self) -> float:
        """Bytes of the model's weights in this precision."""
        return self.model.parameters * _BYTES_PER_PARAMETER[self.precision]

    def pool_blocks(self, gpus: int, ranks: int) -> int:
        """KV blocks of one rank in HBM."""
        tokens = self.pool_tokens
        if tokens is None:
            free = _HBM_SHARE * gpus * (self.accelerator.hbm_gb or 0) * 1e9 - self.weight_bytes
            tokens = max(free, 0.0) / self.model.kv_bytes_per_token
        return int(tokens / ranks / BLOCK_TOKENS)

    def host_blocks(self, gpus: int, ranks: int) -> int:
        """KV blocks of one rank in host memory; 0 without the tier."""
        if self.offload == "none":
            return 0
        servers = gpus / (self.accelerator.gpus_per_node or 8)
        tokens = self.host_tokens or HOST_BYTES_PER_SERVER * servers / self.model.kv_bytes_per_token
        return int(tokens / ranks / BLOCK_TOKENS)

    def roofline(self, gpus: int, ranks: int) -> Roofline:
        """Time of a step of one of `ranks` ranks on `gpus` GPUs."""
        chip, engine = self.accelerator, self.engine
        peaks = {"fp4": chip.fp4_tflops, "fp8": chip.fp8_tflops, "bf16": chip.bf16_tflops}
        peak = peaks[self.precision] or chip.fp8_tflops or chip.bf16_tflops or 0.0
        return Roofline(
            flops=peak * 1e12 * engine.compute_share * gpus / ranks,
            bandwidth=(chip.hbm_tb_per_s or 0.0) * 1e12 * engine.bandwidth_share,
            gpus=gpus,
            ranks=ranks,
            weight_bytes=self.weight_bytes,
            model=self.model,
            overhead_s=engine.step_overhead_s,
        )


@dataclass(frozen=True, slots=True)
class Roofline:
    """Seconds of one engine step: the larger of compute and memory time, and a fixed cost.

    `flops` per second of the rank's share of the GPUs; `bandwidth` bytes per second of one GPU.
    """

    flops: float
    bandwidth: float
    gpus: int
    ranks: int
    weight_bytes: float
    model: ModelShape
    overhead_s: float

    def step_s(self, decoding: int, kv_tokens: float, prefill: float, context: float) -> float:
        """A step that decodes `decoding` sequences over `kv_tokens` and computes `prefill` prompt tokens.

        `context` is the mean number of tokens before each prompt token. Experts are spread over all GPUs, so
        that each step reads those which the tokens of all ranks touch; attention stays within the rank.
        """
        tokens = decoding + prefill
        shape = self.model
        work = 2 * shape.active_parameters * tokens + shape.attention_flops * prefill * context
        sparse = 1 - shape.active_parameters / shape.parameters
        touched = self.weight_bytes * (1 - math.pow(sparse, max(tokens * self.ranks, 1)))
        weights_s = touched / (self.bandwidth * self.gpus)
        read = kv_tokens * shape.kv_bytes_per_token * shape.kv_read_share
        cache_s = read / (self.bandwidth * self.gpus / self.ranks)
        return self.overhead_s + max(work / self.flops, weights_s + cache_s)
