"""Every page there is: without rows, with one and with a thousand; light and dark; wide and narrow."""

import pytest

from tests.browser.cases import cases, post_only
from tests.browser.conftest import Looking, Site
from tests.support.routes import routes

pytestmark = pytest.mark.browser

SITES = ("empty_site", "small_site", "large_site")
CASES = cases()
SHOWN = sorted(name for name, case in CASES.items() if case.shown)


def test_every_route_has_a_case() -> None:
    assert set(routes()) == set(CASES) | post_only()


@pytest.mark.parametrize("route", sorted(CASES))
def test_every_case_opens_at_some_size(request: pytest.FixtureRequest, route: str) -> None:
    sites = [request.getfixturevalue(name) for name in SITES]

    assert any(site.paths[route] for site in sites)


@pytest.mark.parametrize("site", SITES, indirect=True)
@pytest.mark.parametrize("route", SHOWN)
def test_page_is_accessible_clean_and_never_too_wide(looking: Looking, site: Site, route: str) -> None:
    case = CASES[route]
    path = site.paths[route]
    if path is None:
        return

    with looking(site, signed_in=case.signed_in) as watched:
        assert watched.open(path) == case.status
        if case.whole:
            watched.assert_fits_every_size_and_theme()

        watched.assert_clean()


@pytest.mark.parametrize("site", SITES, indirect=True)
@pytest.mark.parametrize("route", SHOWN)
def test_page_works_without_scripts(looking: Looking, site: Site, route: str) -> None:
    case = CASES[route]
    path = site.paths[route]
    if path is None:
        return

    with looking(site, width=390, scripts=False, signed_in=case.signed_in) as watched:
        assert watched.open(path) == case.status

        if case.whole:
            watched.assert_no_sideways_scrolling()
        watched.assert_clean()
