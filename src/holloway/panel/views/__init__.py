"""Views: one module for each page, with functions from a page request to a response."""
