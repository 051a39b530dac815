"""Counts in sentences."""

from __future__ import annotations


def number_of(count: int, noun: str) -> str:
    """`1 request`, `16 requests`, `1,045 requests`; the noun is given in the singular."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
