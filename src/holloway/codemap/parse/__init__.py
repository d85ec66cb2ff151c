"""Parsing, one file at a time: listing source files, extracting their facts, and splitting them into text chunks."""
