from django.urls.resolvers import URLPattern

app_name = "agents"
urlpatterns: list[URLPattern] = []
