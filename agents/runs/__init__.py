"""Runs: conversations that a worker drives to their end.

The rows are the only state. :mod:`~agents.runs.people` holds what people do with a run, :mod:`~agents.runs.driving`
what a worker does, and :mod:`~agents.runs.events` what live pages are told.
"""

from agents.runs.driving import drive
from agents.runs.history import Attachment, NothingSaid
from agents.runs.lease import lapse_all
from agents.runs.people import (
    NotHere,
    NothingToContinue,
    NotWaiting,
    NotWithdrawn,
    cancel,
    put_back,
    resume,
    send,
    start,
    withdraw,
)
from agents.runs.reconciling import reconcile

__all__ = [
    "Attachment",
    "NotHere",
    "NotWaiting",
    "NotWithdrawn",
    "NothingSaid",
    "NothingToContinue",
    "cancel",
    "drive",
    "lapse_all",
    "put_back",
    "reconcile",
    "resume",
    "send",
    "start",
    "withdraw",
]
