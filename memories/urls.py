from django.urls.resolvers import URLPattern

app_name = "memories"
urlpatterns: list[URLPattern] = []
