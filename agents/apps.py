from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        """Fill the places that other pages leave open."""
        from agents.views import doors, places  # noqa: PLC0415  (models are there from here on)

        places.register()
        doors.register()
