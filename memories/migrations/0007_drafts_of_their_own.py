from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0006_unseen_reads"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="draft", name="draft_once"),
        migrations.RemoveConstraint(model_name="draft", name="draft_of_new_file_once"),
    ]
