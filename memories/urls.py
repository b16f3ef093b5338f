"""Addresses of stores and files. Pages carry the store's slug and the path, actions the file's id."""

from django.urls import path

from memories.views import activity, acts, agent_view, files, history, media, pausing, stores, tree, undoing

app_name = "memories"
urlpatterns = [
    path("stores/", stores.stores, name="stores"),
    path("stores/new", stores.new_store, name="store-new"),
    path("stores/<slug:slug>/settings", stores.store_settings, name="store-settings"),
    path("stores/<slug:slug>/members", stores.members, name="members"),
    path("stores/<slug:slug>/seen", acts.all_seen, name="all-seen"),
    path("stores/<slug:slug>/pause", pausing.pause, {"on": True}, name="pause"),
    path("stores/<slug:slug>/unpause", pausing.pause, {"on": False}, name="unpause"),
    path("stores/<slug:slug>/files/", files.files, name="files"),
    path("stores/<slug:slug>/files/<path:path>", files.files, name="files"),
    path("stores/<slug:slug>/tree/", tree.tree, name="tree"),
    path("stores/<slug:slug>/tree/<path:path>", tree.tree, name="tree"),
    path("stores/<slug:slug>/history/<path:path>", history.history, name="history"),
    path("stores/<slug:slug>/agent-view/", agent_view.agent_view, name="agent-view"),
    path("stores/<slug:slug>/agent-view/<path:path>", agent_view.agent_view, name="agent-view"),
    path("activity/", activity.activity, name="activity"),
    path("acts/<uuid:change_set>/undo", undoing.undo_act, name="undo-act"),
    path("files/<uuid:file_id>/image", media.image, name="image"),
    path("files/<uuid:file_id>/download", media.download, name="download"),
    path("files/<uuid:file_id>/seen", acts.seen, name="seen"),
    path("files/<uuid:file_id>/versions/<int:number>/note", history.note, name="note"),
    *(path(f"files/<uuid:file_id>/{verb}", acts.mark, {"verb": verb}, name=verb) for verb in acts.VERBS),
]
