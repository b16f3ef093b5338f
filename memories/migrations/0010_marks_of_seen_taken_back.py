from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0009_acts_on_settings"),
    ]

    operations = [
        migrations.AddField("fileseen", "before", models.PositiveBigIntegerField(blank=True, null=True)),
        migrations.AddField("storeseen", "before", models.PositiveBigIntegerField(blank=True, null=True)),
        migrations.AddField("storeseen", "before_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("storeseen", "seen_at", models.DateTimeField(blank=True, null=True)),
    ]
