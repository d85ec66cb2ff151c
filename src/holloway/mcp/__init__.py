"""The memory as tools of a server that speaks the Model Context Protocol."""
