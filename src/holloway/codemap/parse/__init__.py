"""One file at a time: which files there are, what a file says, the pieces it is cut into."""
