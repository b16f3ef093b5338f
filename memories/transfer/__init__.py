"""Memory on its way in from a directory and out to one, laid out as by the SDK's file system tool: ``memories/**``."""
