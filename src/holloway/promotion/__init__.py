"""Promotes observed signals to memories: gates, the promotion pipeline, held candidates, rules files, synthesis."""
