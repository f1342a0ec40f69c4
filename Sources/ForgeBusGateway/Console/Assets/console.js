// Keeps a page up to date: after an event of the worker, the page is asked for again, and its content replaced.
// Without this script every page works; it then shows what was so when it was loaded.
"use strict";

const main = document.getElementById("main");
const watch = document.body.dataset.watch;
let due = null;
let asking = false;

/** Whether somebody is filling in a form, so that the page must not change under their hands. */
function isBusy() {
  const active = document.activeElement;
  if (active && main.contains(active) && active.matches("input, textarea, select")) return true;
  return [...main.querySelectorAll("textarea, input:not([type=hidden])")].some((field) =>
    field.type === "checkbox" ? field.checked : field.value !== field.defaultValue
  );
}

async function refresh() {
  due = null;
  if (asking || document.hidden || isBusy()) return later(1000);
  asking = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.status >= 500) return later(5000);
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (isBusy()) return later(1000);
    main.replaceChildren(...page.getElementById("main").childNodes);
    const navigation = document.querySelector(".top nav");
    if (navigation) navigation.replaceWith(page.querySelector(".top nav"));
    tellTimes();
  } catch {
    later(5000);
  } finally {
    asking = false;
  }
}

/** Several events at once are one reason to ask. */
function later(time) {
  due ??= setTimeout(refresh, time);
}

const spans = [[60, "second"], [3600, "minute", 60], [86400, "hour", 3600], [Infinity, "day", 86400]];

/** Says each time as a person says it, from now on. */
function tellTimes() {
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const element of document.querySelectorAll("time[datetime]")) {
    const seconds = (new Date(element.dateTime) - Date.now()) / 1000;
    const [, unit, size = 1] = spans.find(([most]) => Math.abs(seconds) < most);
    element.textContent = format.format(Math.round(seconds / size), unit);
  }
}

document.addEventListener("submit", (event) => {
  // The value of the pressed button is part of the form only while the button is enabled.
  setTimeout(() => event.target.querySelectorAll("button").forEach((button) => { button.disabled = true; }));
});
addEventListener("pageshow", () => document.querySelectorAll("button[disabled]").forEach((button) => { button.disabled = false; }));

if (watch) {
  const events = new EventSource(watch);
  // What happened before the connection was there, or while it was lost, has had no event.
  events.addEventListener("open", () => {
    later(0);
    document.documentElement.dataset.live = "";
  });
  events.addEventListener("change", () => later(150));
  // The worker refused the watch: the page stays as it is.
  events.addEventListener("problem", () => events.close());
}
document.addEventListener("visibilitychange", () => { if (!document.hidden && watch) later(0); });
setInterval(tellTimes, 10000);
tellTimes();
