"""What is wrong with a form, in one place at the top of its page, each fault with the way to its field."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.forms import BaseForm
from django.forms.formsets import BaseFormSet


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, the name of the field, and the id of its element; both are empty where no field is to blame."""

    message: str
    label: str = ""
    target: str = ""


def faults_of(form: "BaseForm | BaseFormSet[Any]") -> list[Fault]:
    """Return the faults of a form or of all forms of a set, in the order of the fields; none before it was sent."""
    return list(_of_set(form) if isinstance(form, BaseFormSet) else _of_form(form))


def _of_form(form: BaseForm, number: str = "") -> Iterator[Fault]:
    for message in form.non_field_errors():
        yield Fault(str(message))
    for field in form:
        for message in field.errors:
            yield Fault(str(message), f"{field.label}{number}", field.id_for_label)


def _of_set(forms: "BaseFormSet[Any]") -> Iterator[Fault]:
    for message in forms.non_form_errors():
        yield Fault(str(message))
    for number, form in enumerate(forms, start=1):
        yield from _of_form(form, f" {number}")
