"""Addresses of agents and runs."""

from django.urls import path

from agents.views import deleting, first_run, home, imports, prices, run_acts, run_list, runs, settings, stream, tokens

app_name = "agents"
urlpatterns = [
    path("", home.home, name="home"),
    path("agents/", home.home, name="list"),
    path("agents/new", settings.new_agent, name="new"),
    path("agents/import", imports.import_folder, name="import"),
    path("agents/deleted", deleting.deleted_agents, name="deleted"),
    path("agents/demo", first_run.load_demo, name="load-demo"),
    path("agents/<slug:slug>/settings", settings.settings, name="settings"),
    path("agents/<slug:slug>/delete", deleting.delete_agent, name="delete"),
    path("agents/<slug:slug>/restore", deleting.restore_agent, name="restore"),
    path("agents/<slug:slug>/runs", run_list.agent_runs, name="agent-runs"),
    path("runs/", run_list.runs, name="runs"),
    path("runs/new", run_acts.new_run, name="new-run"),
    path("runs/<uuid:uuid>/", runs.run, name="run"),
    path("runs/<uuid:uuid>/events", stream.events, name="events"),
    path("runs/<uuid:uuid>/log", runs.log, name="log"),
    path("runs/<uuid:uuid>/message", run_acts.message, name="message"),
    path("runs/<uuid:uuid>/pending/<int:message_id>/withdraw", run_acts.withdraw, name="withdraw"),
    path("runs/<uuid:uuid>/withdrawn/<int:number>/put-back", run_acts.put_back, name="put-back"),
    path("runs/<uuid:uuid>/cancel", run_acts.cancel, name="cancel"),
    path("runs/<uuid:uuid>/resume", run_acts.resume, name="resume"),
    path("runs/<uuid:uuid>/calls/<int:turn>-<int:position>", runs.call, name="call"),
    path("runs/<uuid:uuid>/undo", runs.undo, name="undo-run"),
    path("runs/<uuid:uuid>/download", runs.download, name="download"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/refused", tokens.refused_calls, name="refused-calls"),
    path("tokens/<uuid:uuid>/revoke", tokens.revoke, name="revoke-token"),
    path("models/", prices.prices, name="prices"),
]
