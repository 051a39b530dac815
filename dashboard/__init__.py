"""agentx-dashboard: the explorer for agentic LLM-inference benchmark results."""

__version__ = "0.1.0"
