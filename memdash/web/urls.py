from django.urls import path

from memdash.web import views

app_name = "web"
urlpatterns = [
    path("palette", views.palette, name="palette"),
    path("keys", views.keys, name="keys"),
    path("preferences", views.preferences, name="preferences"),
]
