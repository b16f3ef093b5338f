"""Tokens with which programs elsewhere use a store as one of its agents.

:mod:`~agents.tokens.keys` makes, ends and checks them, :mod:`~agents.tokens.use` keeps count of what comes with them,
and :mod:`~agents.tokens.rates` slows down who calls too often.
"""

from agents.tokens.keys import Reason, Refusal, authenticate, make_token, may_write, revoke

__all__ = ["Reason", "Refusal", "authenticate", "make_token", "may_write", "revoke"]
