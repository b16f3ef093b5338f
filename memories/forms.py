"""Forms of stores: they check shape and never save."""

from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.core.validators import MaxValueValidator, MinValueValidator

from memories.diffs import with_line_feeds
from memories.models import MemoryStore, Role
from memories.paths import PATH_BYTES, ROOT, MemoryPath
from memories.refusals import PathRefused
from memories.replacing import FIND_CHARACTERS, PUT_CHARACTERS, Wanted

KIB: Final = 1024
MIB: Final = 1024 * KIB


TYPED: Final = {"class": "input mono", "spellcheck": "false", "autocapitalize": "none", "autocomplete": "off"}


def one_line(text: str) -> None:
    """Refuse the end of a line: what is replaced lies within one, and its end stays as it is."""
    if "\n" in text or "\r" in text:
        raise forms.ValidationError("This has to be on one line.")


class MemberForm(forms.Form):
    """Somebody's role in a store; without one they are no member."""

    username = forms.CharField(label="User name", max_length=150)
    role = forms.ChoiceField(choices=[*Role.choices, ("", "Not a member")], required=False)

    def clean_username(self) -> User:
        """Return the person of that name."""
        name: str = self.cleaned_data["username"]
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(f"Nobody here is called {name}. An operator adds people on the server.")
        return user


class VersionField(forms.IntegerField):
    """The number of a version, no larger than a row can hold."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=2**63 - 1, **options)


class SeenForm(forms.Form):
    """Which version of a file was on somebody's page."""

    version = VersionField()


class NoteForm(forms.Form):
    """A person's words about a version."""

    note = forms.CharField(max_length=1024, required=False)


class PathField(forms.CharField):
    """A path as people type it, below the root; one that begins with the root's name is taken as it is."""

    def __init__(self, *, final_slash: bool, **options: Any) -> None:
        self.final_slash = final_slash
        attributes = {"class": "input mono", "spellcheck": "false", "autocapitalize": "none", "autocomplete": "off"}
        super().__init__(
            label="Path",
            max_length=PATH_BYTES,
            widget=forms.TextInput(attrs=attributes),
            error_messages={"required": "Type a path, such as customers/acme.md."},
            **options,
        )

    def clean(self, value: Any) -> MemoryPath:
        """Return the path, or say what no store can hold about it."""
        try:
            return typed_path(super().clean(value), final_slash=self.final_slash)
        except PathRefused as refusal:
            raise forms.ValidationError(refusal.words) from refusal


def typed_path(typed: str, *, final_slash: bool = True) -> MemoryPath:
    """Return the path that somebody typed below the root, or from the root on; raise PathRefused when it is none."""
    whole = typed if typed == ROOT or typed.startswith(f"{ROOT}/") else f"{ROOT}/{typed}"
    return MemoryPath.parse(whole, final_slash=final_slash)


class TextForm(forms.Form):
    """A text from a browser, which has made every line end CRLF; nothing else of it is touched."""

    text = forms.CharField(strip=False, required=False, widget=forms.Textarea)
    note = forms.CharField(label="What changed", max_length=1024, required=False)

    def clean_text(self) -> str:
        return with_line_feeds(self.cleaned_data["text"])


class EditForm(TextForm):
    """A text made of a version of a file."""

    base_version = VersionField()
    base_sha256 = forms.RegexField("^[0-9a-f]{64}$")


class MergeForm(EditForm):
    """The same with the version that the text is merged with; without one the page is asked for the first time."""

    against_version = VersionField(required=False)
    against_sha256 = forms.RegexField("^[0-9a-f]{64}$", required=False)


class NewFileForm(TextForm):
    """A file to be made."""

    path = PathField(final_slash=False)


class MoveForm(forms.Form):
    """The path to which something moves."""

    path = PathField(final_slash=True)


class RestoreForm(forms.Form):
    """What comes back, and to where: the file as it was, or what it held at a version."""

    version = VersionField(required=False)
    path = PathField(final_slash=False)


class VersionForm(forms.Form):
    """A version that somebody looks for: of which file, and its number, or the newest without one."""

    store = forms.ChoiceField(widget=forms.Select(attrs={"class": "select"}))
    path = PathField(final_slash=False)
    number = VersionField(
        label="Version", required=False, widget=forms.NumberInput(attrs={"class": "input n", "placeholder": "newest"})
    )

    def __init__(self, stores: list[tuple[str, str]], *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.fields["store"].choices = stores  # type: ignore[attr-defined]


class ReplaceForm(forms.Form):
    """A text to find, what shall stand there, and where to look."""

    find = forms.CharField(
        label="Find",
        max_length=FIND_CHARACTERS,
        strip=False,
        validators=[one_line],
        widget=forms.TextInput(attrs=TYPED | {"data-filter": ""}),
        error_messages={"required": "Type the text to find."},
    )
    put = forms.CharField(
        label="Replace with",
        max_length=PUT_CHARACTERS,
        strip=False,
        required=False,
        validators=[one_line],
        widget=forms.TextInput(attrs=TYPED),
        help_text="Leave it empty to take the text out.",
    )
    case = forms.BooleanField(label="Match case", required=False)
    word = forms.BooleanField(label="Whole words only", required=False)
    within = PathField(final_slash=True, required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse what would change nothing."""
        given: dict[str, Any] = super().clean() or {}
        if given.get("case") and given.get("find") and given["find"] == given.get("put"):
            self.add_error("put", "This is the text that is there already.")
        return given

    def wanted(self) -> Wanted:
        """Return what a valid form asks for."""
        given = self.cleaned_data
        return Wanted(given["find"], given["put"], case=given["case"], word=given["word"])


class StoreForm(forms.Form):
    """Name and description of a store."""

    name = forms.CharField(max_length=255, widget=forms.TextInput(attrs={"class": "input"}))
    description = forms.CharField(
        max_length=1024,
        required=False,
        widget=forms.Textarea(attrs={"class": "input area words", "rows": 3}),
        help_text="What its agents remember in it. Only people read this.",
    )


class NewStoreForm(StoreForm):
    """A store to be made; its address comes from the name unless it is given."""

    slug = forms.SlugField(
        label="Address",
        max_length=80,
        required=False,
        widget=forms.TextInput(attrs={"class": "input mono", "placeholder": "from the name"}),
        help_text="Letters, digits and hyphens. It stays when the store is renamed.",
    )
    field_order = ("name", "slug", "description")

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug and MemoryStore.objects.filter(slug=slug).exists():
            raise forms.ValidationError("This address is taken.")
        return slug


class StoreSettingsForm(StoreForm):
    """What an owner may set about a store."""

    create_overwrites = forms.BooleanField(
        label="create may overwrite", required=False, widget=forms.CheckboxInput(attrs={"class": "switch"})
    )
    file_kib = forms.IntegerField(
        label="Largest file",
        validators=[MinValueValidator(1), MaxValueValidator(64 * KIB)],
        widget=forms.NumberInput(attrs={"class": "input n"}),
    )
    most_files = forms.IntegerField(
        label="Files",
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        widget=forms.NumberInput(attrs={"class": "input n"}),
    )
    store_mib = forms.IntegerField(
        label="Size of all files",
        validators=[MinValueValidator(1), MaxValueValidator(100 * KIB)],
        widget=forms.NumberInput(attrs={"class": "input n"}),
    )

    @staticmethod
    def values_of(store: MemoryStore) -> dict[str, Any]:
        """Return what the form shows of a store as it is."""
        return {
            "name": store.name,
            "description": store.description,
            "create_overwrites": store.create_overwrites,
            "file_kib": -(-store.max_file_bytes // KIB),
            "most_files": store.max_files,
            "store_mib": -(-store.max_bytes // MIB),
        }

    def changes(self) -> dict[str, Any]:
        """Return the store's fields that the person changed; a limit that was left alone keeps its odd bytes."""
        given = self.cleaned_data
        fields = {
            "name": ("name", given["name"]),
            "description": ("description", given["description"]),
            "create_overwrites": ("create_overwrites", given["create_overwrites"]),
            "file_kib": ("max_file_bytes", given["file_kib"] * KIB),
            "most_files": ("max_files", given["most_files"]),
            "store_mib": ("max_bytes", given["store_mib"] * MIB),
        }
        return dict(fields[name] for name in self.changed_data)
