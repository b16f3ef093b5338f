"""The HTTP API: how programs elsewhere use a store's memory, with a token and without a cookie."""
