"""A simulator of closed-loop agentic replay: conversations, engines, the artifacts that a run leaves."""
