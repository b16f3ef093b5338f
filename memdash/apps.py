from django.apps import AppConfig


class MemdashConfig(AppConfig):
    name = "memdash"

    def ready(self) -> None:
        """Set up Celery in every process: pages send work too."""
        from memdash import celery  # noqa: F401, PLC0415  (its apps need the settings)
