from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"

    def ready(self) -> None:
        """Put the stores into the rail and the palette of every page, and have those of one name told apart.

        Also say how settings of stores are changed and taken back.
        """
        from memdash.web import names, slots  # noqa: PLC0415  (models are there only when apps are)
        from memories import access, settings  # noqa: PLC0415
        from memories.models import MemoryStore  # noqa: PLC0415
        from memories.settings.stores import MemberKind, NoteKind, StoreKind  # noqa: PLC0415
        from memories.views import jumps, palette_acts, since  # noqa: PLC0415

        names.register(MemoryStore, access.stores_for)
        for kind in (StoreKind(), MemberKind(), NoteKind()):
            settings.register(kind)
        slots.register("rail", jumps.rail, order=20)
        slots.register("rail", since.rail, order=25)
        slots.register("palette", jumps.palette, order=20)
        slots.register("pages", jumps.pages)
        slots.register("palette-acts", palette_acts.acts, order=20)
        slots.register("palette-search", palette_acts.search)
