"""Tags for pages of agents and runs."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

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
