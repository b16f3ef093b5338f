#!/usr/bin/env python
"""Django's management commands, for those who work on memdash; operators use the ``memdash`` script."""

from memdash.cli import main

if __name__ == "__main__":
    main()
