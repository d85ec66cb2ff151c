"""Watches a session's events and detects signals worth remembering; reads only, never writes to the store."""
