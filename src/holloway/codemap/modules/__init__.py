"""Modules of a codebase: detected groups of files, with names, purposes, entry points, tests and dependencies."""
