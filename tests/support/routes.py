"""Every route of the product, from the resolver itself, so that a new page cannot be forgotten."""

from collections.abc import Iterator
from uuid import UUID

from django.urls import URLPattern, URLResolver, get_resolver, reverse

EXAMPLES = {"int": 1, "str": "x", "slug": "x", "path": "x", "uuid": UUID(int=0)}


def routes() -> dict[str, str]:
    """Return each route's name, such as "accounts:sign-in", with an address of it that leads to no row."""
    return dict(_routes(get_resolver(), "", {}))


def arguments(name: str) -> dict[str, str]:
    """Return the arguments that addresses of a route take, each with its kind, such as "int"."""
    *namespaces, url_name = name.split(":")
    resolver = get_resolver()
    kinds: dict[str, str] = {}
    for namespace in namespaces:
        _, resolver = resolver.namespace_dict[namespace]
    for _, _, _, converters in resolver.reverse_dict.getlist(url_name):
        kinds |= {argument: _kind(converter) for argument, converter in converters.items()}
    return kinds


def _routes(resolver: URLResolver, prefix: str, kinds: dict[str, str]) -> Iterator[tuple[str, str]]:
    for entry in resolver.url_patterns:
        within = kinds | {name: _kind(converter) for name, converter in entry.pattern.converters.items()}
        if isinstance(entry, URLResolver):
            yield from _routes(entry, f"{prefix}{entry.namespace}:" if entry.namespace else prefix, within)
        elif isinstance(entry, URLPattern):
            name = f"{prefix}{entry.name}"
            yield name, reverse(name, kwargs={argument: EXAMPLES[kind] for argument, kind in within.items()})


def _kind(converter: object) -> str:
    kind = type(converter).__name__.removesuffix("Converter").lower()
    return {"string": "str"}.get(kind, kind)
