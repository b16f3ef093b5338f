from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    name = "memories"

    def ready(self) -> None:
        """Put the stores into the rail and the palette of every page."""
        from memdash.web import slots  # noqa: PLC0415  (models are there only when apps are)
        from memories.views import jumps  # noqa: PLC0415

        slots.register("rail", jumps.rail, order=20)
        slots.register("palette", jumps.palette, order=20)
