"""Rows of conversations: agents, runs, messages, tool calls, live events, prices and periodic jobs."""

from agents.models.agents import Agent, Place
from agents.models.jobs import JobSlot
from agents.models.prices import ModelPrice
from agents.models.runs import LIVE_STATES, Attempt, Message, PendingMessage, Run, RunEvent, RunState, ToolCall

__all__ = [
    "LIVE_STATES",
    "Agent",
    "Attempt",
    "JobSlot",
    "Message",
    "ModelPrice",
    "PendingMessage",
    "Place",
    "Run",
    "RunEvent",
    "RunState",
    "ToolCall",
]
