// Script adds speed and keys; every page works without it. Modules listen on the document, since pages are swapped.
import "./htmx.js";
import "./busy.js";
import "./focus.js";
import "./failures.js";
import "./announce.js";
import "./toasts.js";
import "./menus.js";
import "./theme.js";
import "./copy.js";
import "./panes.js";
import "./tree.js";
import "./files.js";
import "./versions.js";
import "./editor.js";
import "./palette.js";
import "./keys.js";
import "./run.js";
