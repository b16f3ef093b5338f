from django.urls import path

from memdash.accounts import views

app_name = "accounts"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-in/link/<str:token>", views.link, name="link"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("account/", views.account, name="account"),
    path("account/password", views.password, name="password"),
    path("account/sessions/end-others", views.end_other_sessions, name="end-other-sessions"),
]
