import django.db.models.deletion
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0008_labels_notes_and_purging"),
    ]

    operations = [
        migrations.AddField(
            model_name="changeset",
            name="settings",
            field=models.JSONField(
                blank=True,
                help_text="settings it changed: [kind, key, field, before, after, name of the thing then]; the values are for those alone who may set them",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="changeset",
            name="authored_at",
            field=models.DateTimeField(
                blank=True, help_text="when it was really done, where demo data say so", null=True
            ),
        ),
        migrations.AlterField(
            model_name="changeset",
            name="store",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="change_sets",
                to="memories.memorystore",
            ),
        ),
        migrations.AlterField(
            model_name="memorystore",
            name="archived_at",
            field=models.DateTimeField(blank=True, help_text="since when it is gone, its making undone", null=True),
        ),
        migrations.AddIndex(
            model_name="changeset",
            index=models.Index(
                models.OrderBy(
                    django.db.models.functions.comparison.Coalesce("authored_at", "recorded_at"), descending=True
                ),
                models.OrderBy(models.F("id"), descending=True),
                name="change_set_moment",
            ),
        ),
        migrations.AddIndex(
            model_name="changeset",
            index=models.Index(
                condition=models.Q(("undoes__isnull", False)), fields=["undoes"], name="change_set_undoes"
            ),
        ),
    ]
