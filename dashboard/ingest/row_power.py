"""Measured power of a row, by the publication rule of data-contracts 6.2 and section 12, rows 46 and 47."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.ingest.row_fields import Fields

_JOULES = {
    "joules_per_request": "joules_per_successful_query",
    "joules_per_input_token": "joules_per_input_token",
    "joules_per_output_token": "joules_per_output_token",
    "joules_per_total_token": "joules_per_total_token",
}
#: Since this version a figure covers the whole deployment; before it, a role or the whole, nobody knows.
_WHOLE_DEPLOYMENT_VERSION = 2


def read_power(figures: Fields) -> tuple[Mapping[str, float | None], bool | None]:
    """Power scalars (W per GPU, J) and the producer's verdict, None where it gave none.

    A verdict other than valid removes every figure. Energy per token without a schema version is dropped:
    it may be of one role or of the whole deployment.
    """
    valid = figures.flag("power_valid")
    if not any(key in figures for key in ("avg_power_w", *_JOULES.values())):
        return {}, valid
    if valid is False:
        figures.report("power_invalid", "info", "measured power is left out: its producer found it invalid")
        return {}, valid
    scalars = {"power_w_per_gpu": figures.positive("avg_power_w")}
    version = figures.number("power_metric_schema_version")
    if version is not None and version >= _WHOLE_DEPLOYMENT_VERSION:
        return scalars | {name: figures.positive(key) for name, key in _JOULES.items()}, valid
    if any(key in figures for key in _JOULES.values()):
        figures.report(
            "energy_ambiguous",
            "info",
            "energy per token is left out: without a schema version its scope is unknown",
        )
    return scalars, valid
