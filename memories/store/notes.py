"""People's words about versions."""

from memories.models import MemoryVersion


def set_note(entry_id: int, number: int, note: str) -> bool:
    """Show ``note`` in place of a version's summary, or the summary again when it is empty.

    Returns whether the file has that version. What the version changed stays as it was recorded.
    """
    return MemoryVersion.objects.filter(entry=entry_id, number=number).update(note=note) == 1
