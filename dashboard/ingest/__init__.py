"""Artifacts in, typed rows out, then written to the store."""
