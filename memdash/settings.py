"""Django's settings, derived from the operator's :class:`memdash.config.Config`."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from csp.constants import NONE, SELF

from memdash.config import Config

CONFIG = Config.read()
BASE_DIR = Path(__file__).resolve().parent.parent
MEMDASH_DATA = CONFIG.data
MEMDASH_REDIS_URL = CONFIG.redis_url
MEMDASH_EMBEDDED = not CONFIG.redis_url

SECRET_KEY = CONFIG.secret
DEBUG = CONFIG.debug
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *CONFIG.allowed_hosts]
CSRF_TRUSTED_ORIGINS: list[str] = []
if CONFIG.public_url:
    ALLOWED_HOSTS.append(urlsplit(CONFIG.public_url).hostname or "")
    CSRF_TRUSTED_ORIGINS.append(CONFIG.public_url)
MEMDASH_PUBLIC_URL = CONFIG.public_url

INSTALLED_APPS = [
    "memdash",
    "agents",
    "memories",
    "memdash.accounts",
    "memdash.web",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "memdash.web.middleware.NoStore",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memdash.accounts.middleware.SessionInUse",
    "memdash.accounts.middleware.SignInRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "memdash.web.middleware.WithoutNul",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "memdash.web.middleware.MethodNotAllowed",
]

# What every answer needs, for callers without a cookie.
MEMDASH_API_MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "memdash.web.middleware.NoStore",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "memdash.urls"
ASGI_APPLICATION = "memdash.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memdash.web.context.page",
            ],
            "builtins": [
                "django.templatetags.static",
                "template_partials.templatetags.partials",
                "memdash.web.templatetags.memdash",
            ],
        },
    }
]


def database(config: Config) -> dict[str, Any]:
    """Return the database entry: PostgreSQL when DATABASE_URL is set, else SQLite in the data folder."""
    if config.database_url:
        url = urlsplit(config.database_url)
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(url.path.lstrip("/")),
            "USER": unquote(url.username or ""),
            "PASSWORD": unquote(url.password or ""),
            "HOST": url.hostname or "",
            "PORT": str(url.port or ""),
            "OPTIONS": {"connect_timeout": "5", **dict(parse_qsl(url.query))},
        }
    return {
        "ENGINE": "memdash.sqlite",
        "NAME": config.data / "memdash.sqlite3",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # A change writes some ten pages, most of them for a few bytes: half the usual size is written faster.
            "init_command": (
                "PRAGMA page_size=2048; PRAGMA journal_mode=WAL;"
                f" PRAGMA synchronous={config.sqlite_synchronous}; PRAGMA foreign_keys=ON;"
                " PRAGMA secure_delete=ON; PRAGMA cache_size=-65536;"
            ),
        },
    }


DATABASES = {"default": database(CONFIG)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "accounts:sign-in"
CSRF_FAILURE_VIEW = "memdash.web.errors.csrf_failure"
# Toasts may name files of memory; cookies would leave them in the browser's storage.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# Files are found at the start and served from where they lie: no build, nothing to collect. An installed wheel carries
# them inside the package, where Django looks anyway.
STATIC_URL = "/static/"
STATICFILES_DIRS = [folder for folder in [BASE_DIR / "static"] if folder.is_dir()]
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = DEBUG
SERVESTATIC_ALLOW_ALL_ORIGINS = False

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# A cookie named __Host- is taken by browsers only over TLS, for this host alone.
COOKIE_PREFIX = "__Host-memdash" if CONFIG.tls else "memdash"
SESSION_ENGINE = "memdash.accounts.sessions"
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}-session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CONFIG.tls
SESSION_COOKIE_AGE = 7 * 24 * 3600
MEMDASH_SESSION_IDLE_SECONDS = 12 * 3600
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}-csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = CONFIG.tls
SECURE_SSL_REDIRECT = CONFIG.tls
SECURE_HSTS_SECONDS = CONFIG.hsts_seconds if CONFIG.tls else 0
# Subdomains and preload lists are the domain owner's to decide. Without TLS memdash serves this machine only, unless
# the operator insists; then the checks that ask for TLS have nothing to add.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not CONFIG.tls:
    SILENCED_SYSTEM_CHECKS += [f"security.{code}" for code in ("W004", "W008", "W010", "W011", "W012", "W016")]

# Room for a file of 1 MiB, the text it started from, and what a form adds. memdash.asgi holds whole requests to it.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# Refused and missing pages are no news, and their lines would hold addresses, which hold paths of memory.
QUIET = {"level": "ERROR", "propagate": True}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"()": "memdash.logs.PlainFormatter", "exception_text": DEBUG}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": CONFIG.log_level},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": QUIET,
        "django.security": QUIET,
        "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
        "asyncio": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        "watchfiles": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "anthropic": {"level": "WARNING"},
    },
}

MEMDASH_ANTHROPIC_API_KEY = CONFIG.anthropic_api_key.get_secret_value()
MEMDASH_ANTHROPIC_BASE_URL = CONFIG.anthropic_base_url
MEMDASH_ALLOW_PRIVATE_BASE_URL = CONFIG.allow_private_base_url
MEMDASH_TOKEN_CALLS_PER_MINUTE = CONFIG.token_calls_per_minute
MEMDASH_LEASE_SECONDS = CONFIG.lease_seconds
MEMDASH_RENEW_SECONDS = CONFIG.renew_seconds
MEMDASH_RECONCILE_SECONDS = CONFIG.reconcile_seconds
MEMDASH_WATCH_SECONDS = CONFIG.watch_seconds
MEMDASH_IDLE_SECONDS = CONFIG.idle_seconds
MEMDASH_TURN_SECONDS = CONFIG.turn_seconds
MEMDASH_RETRY_SECONDS = CONFIG.retry_seconds
MEMDASH_LONGEST_WAIT_SECONDS = CONFIG.longest_wait_seconds
MEMDASH_DEMO_PACE = CONFIG.demo_pace
