from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "memdash.accounts"
