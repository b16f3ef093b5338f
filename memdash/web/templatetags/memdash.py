"""Tags and filters for every page: icons, times, sizes, meters, visible text, places that apps fill."""

from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memdash.web import formats, hidden_text, names, palette, slots
from memdash.web.faults import faults_of

register = template.Library()

METER_WIDTH = 72
NEARLY_FULL = 0.9


@register.simple_tag
def icon(name: str, label: str = "", tone: str = "") -> SafeString:
    """Draw a symbol of the sprite; decoration unless ``label`` gives it a name."""
    classes = f"i {tone}".strip()
    if label:
        return format_html('<svg class="{}" role="img" aria-label="{}"><use href="#i-{}"/></svg>', classes, label, name)
    return format_html('<svg class="{}" aria-hidden="true"><use href="#i-{}"/></svg>', classes, name)


@register.filter
def ago(moment: datetime) -> SafeString:
    """Show how long ago it was, with the exact time in the title."""
    return _time(moment, formats.ago(moment))


@register.filter
def day(moment: datetime) -> SafeString:
    """Show the day, with the exact time in the title."""
    return _time(moment, formats.day(moment))


@register.filter
def moment(then: datetime) -> SafeString:
    """Show the day and the time, with the exact time in the title."""
    return _time(then, formats.moment(then))


def _time(moment: datetime, words: str) -> SafeString:
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(timespec="seconds"), formats.exact(moment), words
    )


@register.filter
def filesize(size: int) -> str:
    """Show a number of bytes as the memory tool prints it."""
    return formats.filesize(size)


@register.filter
def thousands(number: int) -> str:
    """Show a number with commas and a true minus sign."""
    return formats.thousands(number)


@register.filter
def visible(text: object) -> SafeString:
    """Escape the text and label the characters and words in it that look like nothing or like something else."""
    return hidden_text.label(str(text))


@register.filter
def visible_within(text: object, room: int) -> SafeString:
    """Do the same for a text that may be long, with "…" after as much of it as takes no more than ``room`` bytes."""
    whole = str(text)
    shown = hidden_text.beginning(whole, room)
    return hidden_text.label(shown if shown == whole else f"{shown}…")


@register.filter
def marked(label: str, query: str) -> SafeString:
    """Escape a palette entry's label and mark where the query occurs in it."""
    return palette.marked(label, query)


@register.filter
def spelled(text: object) -> str:
    """Label the same in plain text, for titles and attributes."""
    return hidden_text.spell(str(text))


@register.simple_tag
def meter(value: int, limit: int, unit: str = "bytes") -> SafeString:
    """Draw the value to scale and say its share of the limit; amber from 90 % on."""
    part = min(max(value / limit, 0.0), 1.0) if limit else 0.0
    most = formats.filesize(limit) if unit == "bytes" else f"{formats.thousands(limit)} {unit}"
    return format_html(
        '<svg class="meter" viewBox="0 0 {width} 4" aria-hidden="true"><rect class="t" width="{width}" height="4"/>'
        '<rect class="v{tone}" width="{filled}" height="4"/></svg><span class="xs faint">{share} of {most}</span>',
        width=METER_WIDTH,
        tone=" hi" if part >= NEARLY_FULL else "",
        filled=f"{max(part * METER_WIDTH, 1.0 if value else 0.0):.1f}",
        share=formats.share(value, limit),
        most=most,
    )


@register.simple_tag(takes_context=True)
def named(context: template.Context, thing: names.Named) -> SafeString:
    """Show a thing's name, with its slug where the person may see another of that name."""
    return names.shown(context["request"], thing)


@register.simple_tag(takes_context=True)
def label(context: template.Context, thing: names.Named) -> str:
    """Return the same in plain text, for options and attributes."""
    return hidden_text.spell(names.label(context["request"], thing))


@register.inclusion_tag("web/faults.html")
def faults(undone: str, *forms: Any) -> dict[str, Any]:
    """List what is wrong with the forms, with links to their fields; ``undone`` says what was not done.

    A form may be None, on pages that show it at times. The list takes the focus when the page opens, also without
    scripts.
    """
    given = [form for form in forms if form is not None]
    return {"undone": undone, "faults": [fault for form in given for fault in faults_of(form)]}


@register.simple_tag(takes_context=True)
def slot(context: template.Context, place: str, **about: Any) -> slots.Fillings:
    """Show what apps have for this place; ``{% slot "name" as parts %}`` gives the parts themselves."""
    return slots.fill(place, context["request"], **about)


@register.simple_tag(takes_context=True)
def current(context: template.Context, item: slots.RailItem) -> str:
    """Mark the rail's item that this page belongs to: by its address, unless ``at`` in the context is another path."""
    path = context.get("at") or context["request"].path
    return format_html(' aria-current="{}"', "page") if item.leads_to(path) else ""
