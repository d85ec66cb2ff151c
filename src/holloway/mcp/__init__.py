"""MCP server: the memory and the code map as tools of the Model Context Protocol."""
