"""Rows of conversations: agents, runs, messages, tool calls, live events and prices."""

from agents.models.agents import Agent, Place
from agents.models.prices import ModelPrice
from agents.models.runs import Attempt, Message, PendingMessage, Run, RunEvent, RunState, ToolCall

__all__ = [
    "Agent",
    "Attempt",
    "Message",
    "ModelPrice",
    "PendingMessage",
    "Place",
    "Run",
    "RunEvent",
    "RunState",
    "ToolCall",
]
