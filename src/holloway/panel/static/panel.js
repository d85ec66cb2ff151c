// Keys, dialogs and live forms. Every page also works without this file: links are links and forms are forms.
"use strict";

const items = () => [...document.querySelectorAll("[data-item]")].filter((item) => item.offsetParent);
const current = () => document.querySelector("[data-item].current") || items()[0];

function select(item) {
  document.querySelectorAll("[data-item].current").forEach((other) => other.classList.remove("current"));
  if (!item) return;
  item.classList.add("current");
  (item.querySelector("[data-open]") || item).focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const all = items();
  const at = all.findIndex((item) => item.classList.contains("current"));
  select(all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))]);
}

function press(key) {
  const item = current();
  const control = item && item.querySelector(`[data-key="${key}"]`);
  if (control) control.click();
  return Boolean(control);
}

function isTyping(target) {
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== "checkbox";
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const search = document.querySelector("[data-search]");
  if (event.key === "/" && search) { search.focus(); search.select(); }
  else if (event.key === "/") location.assign("/memories#q");
  else if (event.key === "?") document.getElementById("help").showModal();
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (!"aexw".includes(event.key) || !press(event.key)) return;
  event.preventDefault();
});

// Enter sends a question; with Shift it begins a new line.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("[data-sends]")) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

// A link marked data-dialog shows the form of its page in a dialog; without this script it is an ordinary page.
async function openDialog(link) {
  const dialog = document.getElementById("dialog");
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const body = page.getElementById("dialog-body");
  if (!body) { location.assign(link.href); return; }
  dialog.replaceChildren(body);
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-dialog], [data-opens], [data-unfolds], [data-closes]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { opens, unfolds } = target.dataset;
  if (opens) document.getElementById(opens).showModal();
  else if (unfolds) {
    const details = document.getElementById(unfolds);
    details.open = true;
    details.querySelector("textarea, input, select").focus();
  }
  else if ("closes" in target.dataset && target.closest("dialog")) target.closest("dialog").close();
  else if ("dialog" in target.dataset) openDialog(target);
  else return;
  event.preventDefault();
});

// Empty fields stay out of an address, whether the browser sends a form or htmx does.
function dropEmpty(fields) {
  for (const [name, value] of [...fields]) if (!value) fields.delete(name);
}
document.addEventListener("formdata", (event) => {
  if (event.target.method === "get") dropEmpty(event.formData);
});
document.addEventListener("htmx:config:request", (event) => {
  const request = event.detail.ctx.request;
  if (request.method === "GET" && request.body) dropEmpty(request.body);
});

// A list that was marked as a whole shows it.
document.addEventListener("change", (event) => {
  if (!("all" in event.target.dataset)) return;
  document.querySelectorAll('input[name="id"][form="bulk"]').forEach((box) => { box.checked = event.target.checked; });
});

// Live updates. A page names the changes that concern it; it is fetched again and morphed in place, so that focus and
// scroll stay. While the person types, marks or decides, it waits. A hidden page holds no connection.
const KINDS = ["memories", "session_started", "session_ended", "told", "proposals", "worker_started", "worker_done", "pause"];
let events = null;
let isStale = false;

function isBusy() {
  const active = document.activeElement;
  return document.querySelector('dialog[open], main details.edit[open], main input[form="bulk"]:checked') !== null
    || (active !== null && isTyping(active) && document.getElementById("main").contains(active));
}

function refresh() {
  if (!isStale || isBusy()) return;
  isStale = false;
  htmx.ajax("GET", location.href, { target: "#main", select: "#main", swap: "outerMorph" });
}

function announce(kind) {
  const news = document.getElementById("news");
  if (kind !== "session_ended" || !news.dataset.ended) return;
  const link = document.createElement("a");
  link.href = news.dataset.review;
  link.textContent = news.dataset.label;
  news.replaceChildren(`${news.dataset.ended} `, link);
}

function connect() {
  if (document.hidden) { events?.close(); events = null; return; }
  if (events || !document.querySelector(".side nav")) return;
  events = new EventSource("/live");
  // What changed between the page and its connection was not announced.
  events.addEventListener("connected", (event) => {
    const main = document.getElementById("main");
    isStale ||= main.dataset.refresh.includes("memories") && main.dataset.state !== event.data;
    refresh();
  });
  for (const kind of KINDS) {
    events.addEventListener(kind, () => {
      announce(kind);
      isStale ||= document.getElementById("main").dataset.refresh.split(" ").includes(kind);
      refresh();
    });
  }
}
document.addEventListener("visibilitychange", () => { isStale ||= !document.hidden && events === null; connect(); refresh(); });
document.addEventListener("focusout", () => setTimeout(refresh, 300));
window.addEventListener("pagehide", () => { events?.close(); events = null; });
connect();

if (location.hash === "#q") document.querySelector("[data-search]")?.focus();

// On a narrow screen the navigation is a row that scrolls: the present page is brought into it.
document.querySelector(".side nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
