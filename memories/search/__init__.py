"""Finding files by words: what was typed, the index, and the search over both."""
