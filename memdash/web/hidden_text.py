"""Labels for what looks like nothing or like something else: invisible characters, words in look-alike letters."""

import unicodedata

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

LABELLED = frozenset({"Cc", "Cf", "Co", "Cn", "Cs"})
PLAIN = frozenset("\n\r\t")


def label(text: str) -> SafeString:
    """Return the text escaped, each hidden character as a visible label such as ``[U+202E]``."""
    parts = []
    for character in text:
        if unicodedata.category(character) in LABELLED and character not in PLAIN:
            parts.append(format_html('<span class="hidden-char">[U+{}]</span>', f"{ord(character):04X}"))
        else:
            parts.append(conditional_escape(character))
    return SafeString("".join(parts))
