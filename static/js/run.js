// A run's page follows its run: over an event stream, or by asking each second where that does not work.
//
// What comes is HTML: parts with an id take the place of those on the page, others come at the end of the log; what has
// data-append-to is added there, and what is in data-renewed takes its place if the page has one. The page is scrolled
// only for somebody who is at its end.
import { announce } from "./announce.js";
import { refreshRail } from "./rail.js";

const POLL_MS = 1000;
const PAUSED_AFTER_MS = 3000;
const NOTHING_NEW = 204;
const OVER = 286;

const keepsOpen = {
  callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") },
};

class Follower {
  constructor(page) {
    this.page = page;
    this.cursor = page.dataset.cursor;
    this.isLive = "live" in page.dataset;
    this.source = null;
    this.timer = null;
    this.paused = null;
  }

  start() {
    if (this.source || this.timer) return;
    if (window.EventSource) this.stream();
    else this.poll();
  }

  stream() {
    this.source = new EventSource(`${this.page.dataset.events}?since=${this.cursor}`);
    this.source.addEventListener("open", () => this.resumed());
    this.source.addEventListener("update", ({ data }) => {
      this.resumed();
      if (this.apply(data)) this.close();
    });
    this.source.addEventListener("error", () => {
      this.pauseSoon();
      // The browser tries again by itself unless the server refused, which it does where polling is the better way.
      if (this.source?.readyState !== EventSource.CLOSED) return;
      this.close();
      this.poll();
    });
  }

  poll() {
    this.timer = setTimeout(async () => {
      if (await this.ask()) this.poll();
    }, POLL_MS);
  }

  /** Ask for the news once and return whether there is a reason to ask again. */
  async ask() {
    let answer;
    try {
      answer = await fetch(`${this.page.dataset.log}?since=${this.cursor}`, { headers: { "HX-Request": "true" } });
    } catch {
      this.pauseSoon();
      return true;
    }
    if (!answer.ok) {
      this.pauseSoon();
      return answer.status >= 500;
    }
    this.resumed();
    if (answer.status !== NOTHING_NEW) this.apply(await answer.text());
    if (answer.status === OVER) this.close();
    return answer.status !== OVER;
  }

  close() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
    this.timer = null;
  }

  /** Show an update and return whether it was the last one. */
  apply(html) {
    const update = new DOMParser().parseFromString(html, "text/html").querySelector("[data-update]");
    if (!update) return false;
    const end = this.page.querySelector("[data-run-end]");
    const isAtEnd = end.getBoundingClientRect().top <= window.innerHeight;
    const focused = document.activeElement;
    for (const part of [...update.children]) this.place(part);
    if (!focused?.isConnected) this.takeFocus();
    if (isAtEnd) end.scrollIntoView({ block: "nearest" });
    this.cursor = update.dataset.cursor;
    if (update.dataset.announce) announce(update.dataset.announce);
    const isOver = "over" in update.dataset;
    if (this.isLive === isOver) refreshRail();
    this.isLive = !isOver;
    return isOver;
  }

  place(part) {
    if ("renewed" in part.dataset) {
      for (const renewed of [...part.children].filter(({ id }) => document.getElementById(id))) this.place(renewed);
      return;
    }
    const known = document.getElementById(part.dataset.appendTo ?? part.id);
    if ("appendTo" in part.dataset) {
      known?.append(...part.childNodes);
      return;
    }
    if (known) window.Idiomorph.morph(known, part, keepsOpen);
    else document.getElementById("log").append(part);
    // A button that came along sends what it is for only once htmx knows it.
    window.htmx.process(known ?? part);
  }

  /** A button that did its work and went away leaves its keyboard user in the conversation, not at the page's top. */
  takeFocus() {
    this.page.tabIndex = -1;
    this.page.focus({ preventScroll: true });
  }

  pauseSoon() {
    this.paused ??= setTimeout(() => {
      const banner = this.page.querySelector("[data-paused]");
      banner.querySelector("[data-paused-since]").textContent = new Date().toLocaleTimeString();
      banner.hidden = false;
    }, PAUSED_AFTER_MS);
  }

  resumed() {
    clearTimeout(this.paused);
    this.paused = null;
    this.page.querySelector("[data-paused]").hidden = true;
  }
}

const page = document.querySelector("[data-run]");
const follower = page && new Follower(page);

if (follower) {
  if (follower.isLive) follower.start();

  page.querySelector("[data-paused-retry]").addEventListener("click", () => {
    follower.close();
    follower.start();
  });

  // What a person does here sets an ended run going again.
  document.addEventListener("htmx:afterRequest", ({ detail: { elt, successful } }) => {
    if (!successful || !elt.matches("[data-composer], [data-run-act]")) return;
    if (elt.matches("[data-composer]")) elt.reset();
    follower.start();
  });
}

// A link to a turn of an earlier page of the transcript finds that page.
const turn = /^#turn-(\d+)$/.exec(location.hash)?.[1];
if (page && turn && !document.getElementById(`turn-${turn}`) && !location.search) {
  location.replace(`?${page.dataset.find ?? "until"}=${turn}${location.hash}`);
}
