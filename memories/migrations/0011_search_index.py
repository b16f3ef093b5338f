import django.db.models.deletion
from django.db import migrations, models

import memories.models.fields

SQLITE = [
    # Words are made before they come here (memories.search.words), so the plainest tokenizer takes them as they are.
    "CREATE VIRTUAL TABLE memories_words USING fts5(path, words, tokenize='ascii', prefix='2 3')",
    # Whatever takes a document away, its words go with it.
    "CREATE TRIGGER memories_words_gone AFTER DELETE ON memories_document"
    " BEGIN DELETE FROM memories_words WHERE rowid = old.id; END",
]
SQLITE_BACK = ["DROP TRIGGER memories_words_gone", "DROP TABLE memories_words"]
POSTGRESQL = [
    "ALTER TABLE memories_document ADD COLUMN words text NOT NULL DEFAULT '',"
    " ADD COLUMN terms tsvector NOT NULL DEFAULT '', ADD COLUMN is_cut boolean NOT NULL DEFAULT false",
    "CREATE INDEX memories_document_terms ON memories_document USING gin (terms) WITH (fastupdate = off)",
    "CREATE INDEX memories_document_cut ON memories_document (store_id) WHERE is_cut",
]


def make_words(apps, schema_editor):
    for statement in SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRESQL:
        schema_editor.execute(statement)


def take_words_away(apps, schema_editor):
    # PostgreSQL's are columns and indexes of the table, and go with it.
    for statement in SQLITE_BACK if schema_editor.connection.vendor == "sqlite" else []:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0010_marks_of_seen_taken_back"),
    ]

    operations = [
        migrations.CreateModel(
            name="Indexed",
            fields=[
                (
                    "store",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="indexed",
                        serialize=False,
                        to="memories.memorystore",
                    ),
                ),
                ("seq", models.PositiveBigIntegerField(default=0)),
                (
                    "unclean_since",
                    models.DateTimeField(
                        blank=True,
                        help_text="since when words may be left of text that was taken away",
                        null=True,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("live", "Live"),
                            ("trash", "Trash"),
                            ("quarantined", "Quarantined"),
                            ("purged", "Purged"),
                        ],
                        max_length=11,
                    ),
                ),
                (
                    "seq",
                    models.PositiveBigIntegerField(help_text="the store's seq of the change it was indexed with"),
                ),
                ("path", memories.models.fields.PathField(max_length=1024)),
                ("actor_kind", models.CharField(max_length=8)),
                ("actor_label", models.CharField(max_length=255)),
                ("changed_at", models.DateTimeField()),
                (
                    "entry",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memoryentry",
                    ),
                ),
                (
                    "store",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memories.memorystore",
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["store", "-changed_at"], name="document_newest")]},
        ),
        migrations.RunPython(make_words, take_words_away),
    ]
