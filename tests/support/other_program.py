"""Settings of another program that works on the database of a test."""

import os

from memdash.settings import *  # noqa: F403
from memdash.settings import DATABASES

DATABASES["default"]["NAME"] = os.environ["TEST_DATABASE"]
