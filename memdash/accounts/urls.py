from django.urls.resolvers import URLPattern

app_name = "accounts"
urlpatterns: list[URLPattern] = []
