"""Rows of conversations: agents, their tokens and folders, runs, messages, tool calls, live events, prices, jobs."""

from agents.models.agents import Agent, Place
from agents.models.folders import FolderFile, Layout, WatchedFolder
from agents.models.jobs import JobSlot
from agents.models.prices import ModelPrice
from agents.models.runs import LIVE_STATES, Attempt, Message, PendingMessage, Run, RunEvent, RunState, ToolCall
from agents.models.tokens import ApiToken, RefusedCall, Scope, TokenDay

__all__ = [
    "LIVE_STATES",
    "Agent",
    "ApiToken",
    "Attempt",
    "FolderFile",
    "JobSlot",
    "Layout",
    "Message",
    "ModelPrice",
    "PendingMessage",
    "Place",
    "RefusedCall",
    "Run",
    "RunEvent",
    "RunState",
    "Scope",
    "TokenDay",
    "ToolCall",
    "WatchedFolder",
]
