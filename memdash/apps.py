from django.apps import AppConfig


class MemdashConfig(AppConfig):
    name = "memdash"
