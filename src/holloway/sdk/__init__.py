"""Agents written with a framework: each adapter in one file, each with its package as an extra."""
