"""Benchmarks: every claim about speed or quality has a command here that measures it again."""
