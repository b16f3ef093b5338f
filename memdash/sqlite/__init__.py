"""The database backend that settings name for SQLite."""
