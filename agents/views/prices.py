"""The operator's price table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from agents.access import agents_for
from agents.claude.endpoints import DEMO_PREFIX
from agents.forms import PriceForm
from agents.known_models import KNOWN_MODELS
from agents.models import ModelPrice, Place
from memdash.web.pages import render_page
from memdash.web.requests import UserRequest
from memories import settings
from memories.views.acts import person, undo_of_act

FIELDS: Final = ("input", "output", "cache_write", "cache_read")


@dataclass(frozen=True, slots=True)
class Row:
    """A model, how many agents that the person may see run with it, and its prices as a form."""

    model: str
    agents: int
    form: PriceForm


@require_http_methods(["GET", "POST"])
def prices(request: UserRequest) -> HttpResponse:
    """Show what each model costs, or save what the operator entered for one; what is left empty is unknown."""
    may_edit = request.user.is_superuser
    if request.method == "POST" and not may_edit:
        raise PermissionDenied("Prices are set by the operator.")
    sent = PriceForm(request.POST) if request.method == "POST" else None
    if sent and sent.is_valid():
        model = sent.cleaned_data["model"]
        given = {name: sent.cleaned_data[name] for name in FIELDS}
        if act := settings.change("price", model, given, store=None, actor=person(request)):
            said = f"Saved the prices of {model}. They count for earlier runs as well."
            messages.success(request, said, extra_tags=undo_of_act(act))
        else:
            messages.info(request, "Nothing was changed.")
        return redirect("agents:prices")
    rows = _rows(request, sent)
    is_new = sent and sent not in [row.form for row in rows]
    context = {
        "title": "Prices",
        "rows": rows,
        "new": sent if is_new else PriceForm(auto_id="price-new-%s"),
        "sent": sent,
        "may_edit": may_edit,
    }
    return render_page(request, "agents/prices.html", context, status=422 if sent else 200)


def _rows(request: UserRequest, sent: PriceForm | None) -> Sequence[Row]:
    """Return every model that is known, used or priced; the one that was sent keeps what was typed."""
    here = agents_for(request.user).filter(place=Place.HERE).exclude(model="")
    used = dict(here.order_by().values_list("model").annotate(Count("pk")))
    priced = {price.model: price for price in ModelPrice.objects.all()}
    names = dict.fromkeys([*(model.id for model in KNOWN_MODELS), *sorted({*used, *priced})])
    rows = []
    for number, name in enumerate(name for name in names if not name.startswith(DEMO_PREFIX)):
        known = {field: getattr(priced.get(name), field, None) for field in FIELDS}
        form = PriceForm(initial={"model": name, **known}, auto_id=f"price-{number}-%s")
        if sent and sent.data.get("model", "").strip() == name:
            form = sent
        rows.append(Row(name, used.get(name, 0), form))
    return rows
