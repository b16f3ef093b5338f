from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class AccountsConfig(AppConfig):
    name = "memdash.accounts"

    def ready(self) -> None:
        """Put the account's entries into the menu of every page, and note what a new session is known by."""
        from memdash.accounts import menu, sessions  # noqa: PLC0415  (models are there only when apps are)
        from memdash.web import slots  # noqa: PLC0415

        user_logged_in.connect(sessions.note_start, dispatch_uid="note-session-start")
        slots.register("user-menu", menu.account)
        slots.register("settings", menu.settings)
        slots.register("user-menu-end", menu.sign_out)
