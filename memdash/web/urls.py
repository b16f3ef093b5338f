from django.urls import path

from memdash.web import views

app_name = "web"
urlpatterns = [
    path("palette", views.palette, name="palette"),
    path("rail", views.rail, name="rail"),
    path("keys", views.keys, name="keys"),
    path("keys/on", views.switch_keys, {"state": "on"}, name="keys-on"),
    path("keys/off", views.switch_keys, {"state": "off"}, name="keys-off"),
    path("preferences", views.preferences, name="preferences"),
]
