"""The right few lines: candidates, fusion, ranking, packing; and which files a task is about."""
