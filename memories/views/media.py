"""Bytes of files: images re-encoded for people, and downloads of what is stored."""

from dataclasses import dataclass
from io import BytesIO
from typing import Final
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET
from PIL import Image

from memdash.web.requests import UserRequest
from memories import access
from memories.models import Blob, MemoryVersion
from memories.models.entries import Media
from memories.paths import MemoryPath
from memories.views.contents import data_of
from memories.views.numbers import number_in

MOST_PIXELS: Final = 20_000_000


@require_GET
def image(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Show an image, decoded and encoded anew so that nothing but its pixels reaches the browser; 404 for all else.

    ``?v=`` shows an older version.
    """
    entry = access.file_for(request.user, file_id)
    number = number_in(request, "v")
    blob = _version_blob(entry.pk, number) if number else entry.blob
    picture = reencoded(data_of(blob))
    if picture is None:
        raise Http404("Not an image that can be shown.")
    response = HttpResponse(picture.data, content_type=picture.media)
    response["Content-Disposition"] = f'inline; filename="image.{picture.media.name.lower()}"'
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    patch_cache_control(response, private=True, no_store=True)
    return response


@require_GET
def download(request: UserRequest, file_id: UUID) -> HttpResponse:
    """Hand out the bytes of a file as they are stored, as a download that no browser opens by itself."""
    entry = access.file_for(request.user, file_id)
    name = MemoryPath(entry.path).name
    response = HttpResponse(data_of(entry.blob), content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


@dataclass(frozen=True, slots=True)
class Picture:
    """An image made anew from its pixels."""

    media: Media
    data: bytes


def reencoded(data: bytes) -> Picture | None:
    """Return the picture made anew, or None where the bytes are no PNG or JPEG of at most 20 megapixels."""
    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            image.load()
            output = BytesIO()
            if image.format == "JPEG":
                image.convert("RGB").save(output, "JPEG", quality=90)
                return Picture(Media.JPEG, output.getvalue())
            image.convert("RGBA" if image.has_transparency_data else "RGB").save(output, "PNG")
            return Picture(Media.PNG, output.getvalue())
    # What Pillow raises on broken files.
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _version_blob(entry_id: int, number: int) -> Blob | None:
    version = MemoryVersion.objects.filter(entry=entry_id, number=number).select_related("blob").first()
    if version is None:
        raise Http404("No such version.")
    return version.blob
