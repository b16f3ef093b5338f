import "./htmx.js";
