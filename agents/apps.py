from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        """Fill the places that other pages leave open."""
        from agents import kinds  # noqa: PLC0415  (models are there from here on)
        from agents.views import doors, places  # noqa: PLC0415

        places.register()
        doors.register()
        kinds.register()
