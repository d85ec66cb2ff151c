"""Memories in files that leave this machine or come to it: our own archive, and files of other tools."""
