// Settings of htmx, given by script: it evaluates nothing, talks to this host only, and keeps no page in the browser.
const { config } = window.htmx;
config.allowEval = false;
config.selfRequestsOnly = true;
config.includeIndicatorStyles = false;
config.historyCacheSize = 0;
config.responseHandling = [
  { code: "204", swap: false },
  { code: "[23]..", swap: true },
  { code: "409|422", swap: true },
  { code: "[45]..", swap: false, error: true },
];

// A live update must not take away what somebody is typing.
window.Idiomorph.defaults.ignoreActiveValue = true;
