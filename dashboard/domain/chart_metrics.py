"""The metrics that can stand on the axes of a chart of curves."""

from __future__ import annotations

from dashboard.domain.metric import (
    DollarsPerMillionTokens,
    Metric,
    RatePerMegawatt,
    Reciprocal,
    Stored,
    TokensPerDollar,
)

_REQUESTS = (
    "Profiling requests that succeeded; percentiles interpolate linearly between order statistics, at rank "
    "(n - 1) x p / 100."
)
_COUNTED = (
    "Tokens of successful requests, from the first start to the last end of them. "
    "ISL contains the cached prefix, so most input tokens of agentic work are cache hits."
)
_DENOMINATOR = (
    "Agentic rows divide input, output and total by all GPUs of the deployment. Rows of the public API and "
    "of fixed-sequence runs divide input by the prefill GPUs and output by the decode GPUs when the "
    "deployment is disaggregated: those are not comparable with aggregated ones, and the two do not add up "
    "to the total."
)
_PRICED = (
    "Price of a GPU hour by tier and date from data/catalog, or the reader's own; stated beside the chart."
)
_POWERED = (
    "All-in provisioned power per GPU (host, network and facility share), dated, from data/catalog; not TDP."
)

X_AXES = (
    Metric(
        key="interactivity",
        label="Interactivity",
        unit="tok/s/user",
        better="higher",
        role="x",
        formula="pXX interactivity = 1 / pXX(ITL);  ITL = (E2EL - TTFT) / (OSL - 1), OSL >= 2",
        explanation=(
            "How fast tokens reach one user once they flow. The percentile is the slow tail: at p90 about "
            "90 % of requests are at least this fast, so p50 >= p90. The mean is 1 / mean(ITL), not the "
            "mean of rates."
        ),
        source=f"Always formed from the ITL statistic, never from a stored interactivity. {_REQUESTS}",
        reading=Reciprocal("itl_s_{stat}"),
    ),
    Metric(
        key="e2e_interactivity",
        label="E2E-normalised interactivity",
        unit="tok/s/user",
        better="higher",
        role="x",
        formula="pXX = 1 / pXX(E2EL / OSL)",
        explanation=(
            "Output tokens per second of the whole request, waiting for the first token included. The "
            "percentile is of the time per token, so it is the slow tail; it is not a ratio of two "
            "percentiles."
        ),
        source=f"Needs per-request records or a row that carries the ratio. {_REQUESTS}",
        reading=Reciprocal("e2e_per_token_s_{stat}"),
    ),
    Metric(
        key="ttft",
        label="TTFT",
        unit="s",
        better="lower",
        role="x",
        formula="first token - request start",
        explanation=(
            "Time to first token: how long a user waits before anything comes. p90 is the value that 90 % "
            "of requests do not exceed."
        ),
        source=_REQUESTS,
        reading=Stored("ttft_s_{stat}"),
        log_beyond=10.0,
    ),
    Metric(
        key="e2el",
        label="E2E latency",
        unit="s",
        better="lower",
        role="x",
        formula="last token - request start",
        explanation=(
            "The whole request, from its start to its last token. p90 is the value that 90 % of requests "
            "do not exceed."
        ),
        source=_REQUESTS,
        reading=Stored("e2el_s_{stat}"),
        log_beyond=10.0,
    ),
    Metric(
        key="concurrency",
        label="Concurrency",
        unit="requests",
        better="neither",
        role="x",
        formula="configured number of replay lanes or of requests kept in flight",
        explanation=(
            "The load that was asked for. Neither more nor less is better, so there is no frontier on this "
            "axis: all points are drawn, and lines join the points of one configuration and run."
        ),
        source="The row or the run's configuration.",
        reading=Stored("concurrency"),
        log_beyond=10.0,
    ),
)

Y_AXES = (
    Metric(
        key="tput_total",
        label="Total throughput per GPU",
        unit="tok/s",
        better="higher",
        role="y",
        formula="(sum ISL + sum OSL) / (last end - first start) / GPUs",
        explanation="Input and output tokens per second and GPU, over all GPUs of the deployment.",
        source=_COUNTED,
        reading=Stored("tput_total_per_gpu"),
        log_beyond=100.0,
    ),
    Metric(
        key="tput_input",
        label="Input throughput per GPU",
        unit="tok/s",
        better="higher",
        role="y",
        formula="sum ISL / (last end - first start) / GPUs",
        explanation=f"Input tokens per second and GPU, cached ones included. {_DENOMINATOR}",
        source=_COUNTED,
        reading=Stored("tput_input_per_gpu"),
        log_beyond=100.0,
    ),
    Metric(
        key="tput_output",
        label="Output throughput per GPU",
        unit="tok/s",
        better="higher",
        role="y",
        formula="sum OSL / (last end - first start) / GPUs",
        explanation=f"Generated tokens per second and GPU. {_DENOMINATOR}",
        source=_COUNTED,
        reading=Stored("tput_output_per_gpu"),
        log_beyond=100.0,
    ),
    Metric(
        key="tokens_per_usd",
        label="Tokens per $",
        unit="tok/$",
        better="higher",
        role="y",
        formula="total throughput per GPU x 3600 / price of a GPU hour",
        explanation="Input and output tokens that one dollar of total cost of ownership buys.",
        source=_PRICED,
        reading=TokensPerDollar("tput_total_per_gpu"),
        log_beyond=100.0,
    ),
    Metric(
        key="tput_per_mw",
        label="Total throughput per MW",
        unit="tok/s/MW",
        better="higher",
        role="y",
        formula="total throughput per GPU x 1000 / kW per GPU",
        explanation="Input and output tokens per second from one megawatt of provisioned power.",
        source=_POWERED,
        reading=RatePerMegawatt("tput_total_per_gpu"),
        log_beyond=100.0,
    ),
    Metric(
        key="cost_total",
        label="Cost per million tokens",
        unit="$/Mtok",
        better="lower",
        role="y",
        formula="price of a GPU hour x 1e6 / (total throughput per GPU x 3600)",
        explanation=(
            "What a million tokens cost, input and output counted alike. Lines are derived from "
            "interpolated throughput."
        ),
        source=_PRICED,
        reading=DollarsPerMillionTokens("tput_total_per_gpu"),
        reciprocal_of="tput_total",
        log_beyond=100.0,
    ),
    Metric(
        key="cost_input",
        label="Cost per million input tokens",
        unit="$/Mtok",
        better="lower",
        role="y",
        formula="price of a GPU hour x 1e6 / (input throughput per GPU x 3600)",
        explanation=f"The whole cost laid on the input tokens, cached ones included. {_DENOMINATOR}",
        source=_PRICED,
        reading=DollarsPerMillionTokens("tput_input_per_gpu"),
        reciprocal_of="tput_input",
        log_beyond=100.0,
    ),
    Metric(
        key="cost_output",
        label="Cost per million output tokens",
        unit="$/Mtok",
        better="lower",
        role="y",
        formula="price of a GPU hour x 1e6 / (output throughput per GPU x 3600)",
        explanation=f"The whole cost laid on the generated tokens. {_DENOMINATOR}",
        source=_PRICED,
        reading=DollarsPerMillionTokens("tput_output_per_gpu"),
        reciprocal_of="tput_output",
        log_beyond=100.0,
    ),
)
