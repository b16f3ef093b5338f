"""Tags for pages of agents and runs."""

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agents.models import Agent
from agents.views import words
from memdash.web import formats

register = template.Library()


@register.filter
def clock(moment: datetime) -> SafeString:
    """Show the time of day, with the day before it when that is not today, and the exact time in the title."""
    local = timezone.localtime(moment)
    words = f"{local:%H:%M}" if local.date() == timezone.localdate() else f"{formats.day(moment)}, {local:%H:%M}"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(timespec="seconds"), formats.exact(moment), words
    )


@register.filter
def place(agent: Agent) -> str:
    """Say where the agent runs."""
    return words.place_words(agent)


@register.filter
def hindrance(agent: Agent) -> str:
    """Say why an agent that should run here cannot; nothing of one that can."""
    return words.hindrance(agent)


@register.inclusion_tag("agents/cannot_run.html")
def cannot_run(agent: Agent, *, settings: bool = False) -> dict[str, Any]:
    """Say that an agent that should run here cannot, and why; nothing of one that can. ``settings`` leads to them."""
    return {"agent": agent, "why": words.hindrance(agent), "settings": settings}
