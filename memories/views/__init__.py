"""Pages of stores and files. A view gets its object from ``memories.access``, and looking never counts as access."""
