"""Names of browsers, so that people recognise their sessions."""

from typing import Final

# First match wins: most browsers also claim to be one of those further down.
BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_name(user_agent: str) -> str:
    """Return "Firefox on Linux" or as much of it as the header tells; "Unknown browser" when it tells nothing."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), "Unknown browser")
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser
