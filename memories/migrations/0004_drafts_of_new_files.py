from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("memories", "0003_change_set_start"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                condition=models.Q(("entry", None)), fields=("user", "store", "path"), name="draft_of_new_file_once"
            ),
        ),
    ]
