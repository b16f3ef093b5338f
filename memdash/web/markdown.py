"""Markdown of agents and strangers as safe HTML.

Three walls: the parser knows no raw HTML and loads no images; a link leads to a web or mail address whose host is
shown, or to a file of memory that the page resolves, and is plain text otherwise; an allow-list keeps the tags we make
and nothing else. Put the result into an element with ``hx-disable``.

Links to the lines of the text are put in behind the third wall, where words stood that nobody can have guessed.
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from memdash.web import hidden_text
from memdash.web.html import cleaned, filled

Env = MutableMapping[str, Any]
Tokens = Sequence[Token]

WEB_ADDRESS: Final = re.compile(r"https?://[^/\\\s][^\\\s]*", re.IGNORECASE)
MAIL_ADDRESS: Final = re.compile(r"mailto:([^@\s/\\?]+@[^@\s/\\?]+)(\?[^\s\\]*)?", re.IGNORECASE)
HOST: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
LINE_END: Final = re.compile("\r\n|\r|\n")
"""What ends a line for the parser; a lone carriage return ends none of a file's."""

CODE_LINE: Final = re.compile("[^\n]*\n|[^\n]+")
LOWEST_HEADING: Final = 6
# Parsing takes the square of the length for some hostile texts: here at most a second.
LONGEST: Final = 30_000


@dataclass(frozen=True, slots=True)
class Ours:
    """Our page for a file of memory that a link leads to, and whether the file is there."""

    url: str
    exists: bool = True


Resolve = Callable[[Collection[str]], Mapping[str, Ours]]


@dataclass(frozen=True, slots=True)
class Marks:
    """What to put before each line of a text that stands on its own, and ``bar`` after the line ``picked``.

    Lines count from 1 as the file counts them. One that runs on in a link or in code, or that shows nothing, has none.
    """

    before: Callable[[int], SafeString]
    picked: int | None
    bar: str


def render(text: str, *, resolve: Resolve | None = None, marks: Marks | None = None) -> SafeString:
    """Return the text as HTML for below a page's ``h1``; more than ``LONGEST`` characters come out as plain text.

    ``resolve`` gets the targets of all links that are no web or mail addresses, once, and returns those of them that
    lead to a page of ours. The other ones are shown as text.
    """
    if len(text) > LONGEST:
        return format_html("<pre>{}</pre>", hidden_text.label(text))
    parser = _parser()
    env: Env = {"heading": 1, "after": []}
    tokens = parser.parse(text.removeprefix("\ufeff"), env)
    targets = _unknown(tokens) if resolve else frozenset()
    env["ours"] = resolve(targets) if resolve and targets else {}
    if marks is None:
        return cleaned(str(parser.renderer.render(tokens, parser.options, env)))
    env["places"] = places = _Places(text, marks.picked)
    places.enter(tokens)
    html = cleaned(str(parser.renderer.render(tokens, parser.options, env)))
    return filled(html, places.pattern, lambda place: marks.before(int(place[1])) if place[1] else marks.bar)


class _Parser(MarkdownIt):
    """Takes every target for a link's; which of them become links is decided where they are written."""

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002 (the library's name)
        return True


class _Renderer(RendererHTML):
    """Writes what the parser found, with hidden characters labelled wherever text is shown."""

    def text(self, tokens: Tokens, idx: int, *_: Any) -> str:
        return _shown(tokens[idx].content)

    def code_inline(self, tokens: Tokens, idx: int, *_: Any) -> str:
        return f"<code>{_shown(tokens[idx].content)}</code>"

    def code_block(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        return f"<pre><code>{_code(tokens[idx], env.get('places'))}</code></pre>\n"

    def fence(self, tokens: Tokens, idx: int, options: OptionsDict, env: Env) -> str:
        return self.code_block(tokens, idx, options, env)

    def place(self, tokens: Tokens, idx: int, *_: Any) -> str:
        return tokens[idx].content

    def image(self, tokens: Tokens, idx: int, options: OptionsDict, env: Env) -> str:
        alt = self.renderInlineAsText(tokens[idx].children or [], options, env)
        return f'<span class="link-target">[image: {_shown(alt)} {_shown(str(tokens[idx].attrs["src"]))}]</span>'

    def link_open(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        target = str(tokens[idx].attrs["href"])
        address, note, missing = _link(target, env["ours"])
        told = _label(tokens, idx) in (note, target) or not note
        env["after"].append(
            ("</a>" if address else "") + ("" if told else f' <span class="link-target">({_shown(note)})</span>')
        )
        mark = ' class="missing" title="No such file"' if missing else ""
        return f'<a href="{escape(address)}"{mark}>' if address else ""

    def link_close(self, _tokens: Tokens, _idx: int, _options: OptionsDict, env: Env) -> str:
        after: str = env["after"].pop()
        return after

    def heading_open(self, tokens: Tokens, idx: int, _options: OptionsDict, env: Env) -> str:
        # One step down at most, so that the outline has no holes whatever the writer left out.
        env["heading"] = min(int(tokens[idx].tag[1]) + 1, env["heading"] + 1, LOWEST_HEADING)
        return f"<h{env['heading']}>"

    def heading_close(self, _tokens: Tokens, _idx: int, _options: OptionsDict, env: Env) -> str:
        return f"</h{env['heading']}>\n"


class _Places:
    """Words that stand in the HTML where something of ours belongs: before a line, or after the one that is picked."""

    def __init__(self, text: str, picked: int | None) -> None:
        secret = secrets.token_hex(12)
        self.pattern = re.compile(f"{secret}:(\\d*);")
        self._secret, self._picked = secret, picked
        self._numbers = [1]
        for end in LINE_END.finditer(text):
            self._numbers.append(self._numbers[-1] + (end[0] != "\r"))

    def enter(self, tokens: Tokens) -> None:
        """Put places into paragraphs, headings and list items, line by line, and into the rows of tables."""
        in_row = is_begun = False
        for token in tokens:
            if token.type in ("tr_open", "tr_close"):
                in_row, is_begun = token.type == "tr_open", False
            if token.type == "inline" and token.map and not is_begun:
                token.children = list(self._entered(token, token.map[0]))
                is_begun = in_row

    def around(self, line: int, content: str) -> str:
        """Return a line's content, with its end, between its places; the parser counts lines from 0."""
        number = self._numbers[line]
        return self._word(number) + content + (self._word() if number == self._picked else "")

    def _entered(self, token: Token, line: int) -> Iterator[Token]:
        children = token.children or []
        breaks = sum(child.type in ("softbreak", "hardbreak") for child in children)
        # Code and links may run over an end of line that no break stands for; then only the first line is known.
        is_known = breaks == token.content.count("\n")
        number, in_link = self._numbers[line], 0
        yield _place(self._word(number))
        for child in children:
            in_link += child.nesting if child.type in ("link_open", "link_close") else 0
            is_break = is_known and child.type in ("softbreak", "hardbreak")
            line += is_break
            if not is_break or in_link or self._numbers[line] == number:
                yield child
                continue
            if number == self._picked:
                yield _place(self._word())
            number = self._numbers[line]
            yield child
            yield _place(self._word(number))
        if number == self._picked:
            yield _place(self._word())

    def _word(self, number: int | None = None) -> str:
        return f"{self._secret}:{number or ''};"


def _place(word: str) -> Token:
    return Token("place", "", 0, content=word)


@cache
def _parser() -> MarkdownIt:
    return _Parser("commonmark", {"html": False}, renderer_cls=_Renderer).enable(["table", "strikethrough"])


def _shown(text: str) -> str:
    return hidden_text.label(text, starts=False)


def _code(token: Token, places: _Places | None) -> str:
    if places is None or not token.map:
        return _shown(token.content)
    first = token.map[0] + (token.type == "fence")
    lines = CODE_LINE.findall(token.content)
    return "".join(places.around(first + line, _shown(content)) for line, content in enumerate(lines))


def _unknown(tokens: Tokens) -> frozenset[str]:
    """Return the targets of links that are no web or mail addresses."""
    inline = (child for token in tokens for child in token.children or () if child.type == "link_open")
    targets = (str(token.attrs["href"]) for token in inline)
    return frozenset(
        unquote(target) for target in targets if not (WEB_ADDRESS.fullmatch(target) or MAIL_ADDRESS.fullmatch(target))
    )


def _link(target: str, ours: Mapping[str, Ours]) -> tuple[str | None, str, bool]:
    """Return the address to link to, or None; what is said of it after the link; whether nothing is there."""
    if WEB_ADDRESS.fullmatch(target):
        host = _host(target)
        return (target, host, False) if host else (None, target, False)
    if mail := MAIL_ADDRESS.fullmatch(target):
        return target, mail.group(1), False
    page = ours.get(unquote(target))
    return (page.url, "", not page.exists) if page else (None, target, False)


def _host(address: str) -> str:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else ""


def _label(tokens: Tokens, idx: int) -> str:
    content = ""
    for token in tokens[idx + 1 :]:
        if token.type == "link_close":
            break
        content += token.content
    return content
