"""What a model costs, as far as the operator said so."""

from django.db import models


class ModelPrice(models.Model):
    """US dollars for a million tokens; an empty price is unknown, never zero."""

    model = models.CharField(max_length=200, unique=True)
    input = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    output = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cache_write = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    cache_read = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("model",)

    def __str__(self) -> str:
        return self.model
