"""Topology: how many GPUs a deployment uses and how its parallelism is written in short."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.domain.records import Deployment, Role

DEGREES_RULE = "TP × PP × PCP"
WORKERS_RULE = "workers × TP × PP × PCP"
STATED_RULE = "stated"
STATED_ROLES_RULE = "prefill + decode, stated"
STATED_TOTAL_RULE = "one total stated for both roles"


@dataclass(frozen=True, slots=True)
class GpuCount:
    """GPUs of a deployment: total and by role, the rule that gave it, what contradicts it in one sentence.

    `prefill` is None for an aggregated deployment, whose GPUs all stand in `decode`. None = not known.
    """

    total: int | None
    prefill: int | None
    decode: int | None
    rule: str | None
    conflict: str | None = None


def gpus_by_degrees(role: Role) -> int | None:
    """GPUs of a role by the harness's own rule, workers x TP x PP x PCP; None without a TP degree.

    DCP reuses TP ranks; EP and DP attention add no GPU (data-contracts 2.4).
    """
    if not role.tp:
        return None
    return (role.workers or 1) * role.tp * (role.pp or 1) * (role.pcp or 1)


def aggregated(prefill: Role, decode: Role) -> Role:
    """The one role of an aggregated deployment: `decode`, or `prefill` where rows leave decode empty."""
    filled = decode if decode.tp or decode.gpus or not prefill.tp else prefill
    return replace(filled, gpus=filled.gpus or prefill.gpus)


def count_gpus(
    prefill: Role, decode: Role, deployment: Deployment | None, stated_total: int | None = None
) -> GpuCount:
    """Count GPUs by data-contracts 2.4. `Role.gpus` and `stated_total` are what the artifact itself states.

    What an artifact states wins, but for one known error: single-server rows that state TP x EP although the
    EP ranks share the TP GPUs. Both figures are then named in `conflict`.
    """
    if deployment == "disaggregated":
        return _count_roles(prefill, decode, stated_total)
    role = aggregated(prefill, decode)
    by_degrees, stated = gpus_by_degrees(role), stated_total or role.gpus
    rule = WORKERS_RULE if (role.workers or 1) > 1 else DEGREES_RULE
    if stated is None or stated == by_degrees:
        return GpuCount(by_degrees, None, by_degrees, rule if by_degrees else None)
    if by_degrees is None:
        return GpuCount(stated, None, stated, STATED_RULE)
    if stated == by_degrees * (role.ep or 1):
        conflict = f"the artifact states {stated} GPUs (TP × EP); {rule} gives {by_degrees}"
        return GpuCount(by_degrees, None, by_degrees, rule, conflict)
    conflict = f"{rule} gives {by_degrees} GPUs; the artifact states {stated}"
    return GpuCount(stated, None, stated, STATED_RULE, conflict)


def _count_roles(prefill: Role, decode: Role, stated_total: int | None) -> GpuCount:
    if states_one_total(prefill, decode):
        return GpuCount(decode.gpus, None, None, STATED_TOTAL_RULE)
    stated = prefill.gpus is not None and decode.gpus is not None
    rule = STATED_ROLES_RULE if stated else WORKERS_RULE
    of_prefill = prefill.gpus if prefill.gpus is not None else gpus_by_degrees(prefill)
    of_decode = decode.gpus if decode.gpus is not None else gpus_by_degrees(decode)
    if of_prefill is None or of_decode is None:
        return GpuCount(stated_total, of_prefill, of_decode, STATED_RULE if stated_total else None)
    total = of_prefill + of_decode
    if stated_total is not None and stated_total != total:
        conflict = f"prefill and decode add up to {total} GPUs; the artifact states {stated_total}"
        return GpuCount(stated_total, of_prefill, of_decode, STATED_RULE, conflict)
    return GpuCount(total, of_prefill, of_decode, rule)


def states_one_total(prefill: Role, decode: Role) -> bool:
    """Whether a disaggregated row mirrors the total into both roles, as rows without worker counts do.

    Such a row's throughputs only add up over one total: input x P + output x D = total x (P + D) has its
    solution at P + D = the mirrored figure.
    """
    return not prefill.workers and not decode.workers and decode.gpus is not None and prefill == decode


def degrees_fall_short(role: Role) -> bool:
    """Whether a role's degrees do not account for the GPUs it states (a TP of 1 is then a placeholder)."""
    by_degrees = gpus_by_degrees(role)
    return by_degrees is not None and role.gpus is not None and by_degrees != role.gpus


def topology_label(prefill: Role, decode: Role, deployment: Deployment | None) -> str | None:
    """Parallelism in short: `TP8`, `DEP8/PP2`, `4×TP8`, `2×TP8 + 1×DEP16`; None when nothing is known.

    TEPn: TP = EP = n; DEPn: the same with data-parallel attention, which is written DPA- elsewhere. A role
    whose degrees do not account for its GPUs shows these instead (`4×8 GPU`).
    """
    if deployment != "disaggregated":
        role = aggregated(prefill, decode)
        return _role_label(replace(role, gpus=None), (role.workers or 1) > 1)
    if states_one_total(prefill, decode):
        return f"{decode.gpus} GPU"
    counted = any((role.workers or 1) > 1 for role in (prefill, decode))
    return " + ".join(filter(None, (_role_label(role, counted) for role in (prefill, decode)))) or None


def _role_label(role: Role, counted: bool) -> str | None:
    workers = role.workers or 1
    if degrees_fall_short(role) and role.gpus:
        each, rest = divmod(role.gpus, workers)
        shape = f"{role.gpus} GPU" if rest else f"{each} GPU"
        return f"{workers}×{shape}" if counted and not rest else shape
    shape_of_degrees = _degrees_label(role)
    if shape_of_degrees is None:
        return f"{role.gpus} GPU" if role.gpus else None
    return f"{workers}×{shape_of_degrees}" if counted else shape_of_degrees


def _degrees_label(role: Role) -> str | None:
    tp, ep = role.tp, role.ep or 1
    if not tp:
        return None
    if tp == ep and tp > 1:
        name = f"{'DEP' if role.dp_attention else 'TEP'}{tp}"
    else:
        name = f"TP{tp}" if ep == 1 else f"EP{ep}" if tp == 1 else f"TP{tp}/EP{ep}"
        name = f"DPA-{name}" if role.dp_attention else name
    others = (("PP", role.pp), ("DCP", role.dcp), ("PCP", role.pcp))
    return name + "".join(f"/{word}{degree}" for word, degree in others if (degree or 1) > 1)
