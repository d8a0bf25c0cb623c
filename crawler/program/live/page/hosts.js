// All hosts, from /hosts.json; one host with its robots.txt, from /host.json; and why a URL is or is not fetched, from /explain.json.
import {ask, byId, duration, element, put, rows, time, whole} from "/format.js";
import {mayControl, order} from "/controls.js";

const EVERY_MS = 3000;
const STANDING = {
  ready: "may be asked", paused: "pauses", busy: "is being asked", blocked: "waits or failed", later: "nothing due yet", idle: "nothing queued",
};
const HELD = {"retry-after": "asked to wait", ratelimit: "quota is used up", backoff: "failed", "given-up": "given up", wall: "answers with a wall"};
const BY = {delay: "as configured", "crawl-delay": "by its robots.txt", adaptive: "by its answer times", ratelimit: "by its quota"};
const ROBOTS = {unknown: "not known yet", absent: "there is none: all is allowed", rules: "rules that apply to this crawler", refused: "nothing may be asked"};
const VERDICT = {pass: ["fetched", "good"], unknown: ["fetched, as far as is known", ""], wait: ["fetched, but not now", "warn"], refuse: ["not fetched", "bad"]};

let chosen = null; // the host whose details are shown

function whyOf(host) {
  if (host.blocked) return "blocked by hand";
  const failures = host.failures ? ", " + host.failures + " failures in a row" : "";
  if (host.held_by !== null) return HELD[host.held_by] + failures + "; " + duration(host.held_s) + " left";
  return "";
}

function standingOf(host) {
  const tone = host.blocked || host.held_by !== null ? "warn" : "";
  return [host.blocked ? "blocked" : STANDING[host.standing] ?? host.standing, tone];
}

function lineOf(host) {
  const [standing, tone] = standingOf(host), line = element("tr", tone), name = element("td", "url"), show = element("button", "link", host.host);
  show.type = "button";
  show.addEventListener("click", () => choose(host.host));
  name.append(show);
  const why = whyOf(host);
  if (why) name.append(element("div", "why", why));
  line.append(name, element("td", "status", standing), element("td", "count", whole(host.queued)), element("td", "count", whole(host.asked)),
    element("td", "count", host.pause_s === null ? "" : duration(host.pause_s)), element("td", "count", host.answer_s === null ? "" : duration(host.answer_s)),
    element("td", "when", host.next_at === null ? "" : time(host.next_at)));
  return line;
}

function showList(list) {
  const focused = document.activeElement?.closest("#all-hosts") ? document.activeElement.textContent : null;
  rows("all-hosts", list.hosts.map(lineOf));
  if (focused !== null) [...byId("all-hosts").querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  put("all-hosts-count", whole(list.matching) + (list.matching === list.known ? " hosts" : " of " + whole(list.known) + " hosts") +
    (list.hosts.length < list.matching ? ", the " + whole(list.hosts.length) + " with most queued; others by a part of their name" : "") + ", most queued first");
}

async function refresh() {
  const query = new URLSearchParams({part: byId("host-part").value.trim(), standing: byId("host-standing").value});
  try {
    showList(await ask("/hosts.json?" + query));
  } catch { /* the figures show that the crawl is gone */ }
}

const line = (name, value) => {
  const made = element("tr"), head = element("th", "", name);
  head.scope = "row";
  made.append(head, element("td", "", value));
  return made;
};

function showHost(host) {
  const why = whyOf(host);
  put("host-name", host.host);
  rows("host-facts", [
    line("stands", standingOf(host)[0] + (why ? ": " + why : "")),
    line("requests", whole(host.queued) + " queued, " + whole(host.asked) + " asked, " + whole(host.running) + " under way" + (host.limit ? " of " + host.limit + " at once" : "")),
    line("pause", host.pause_s === null ? "not asked yet" : duration(host.pause_s) + ", " + (host.delay_s === null || host.pause_by !== "delay" ? BY[host.pause_by] : "set by hand")),
    line("robots.txt", ROBOTS[host.robots.is] + (host.robots.asked ? ", being asked for" : "") + (host.robots.until ? ", until " + new Date(host.robots.until).toLocaleString("en-GB") : "")),
  ]);
  put("host-robots", host.robots.text);
  byId("host-robots").hidden = host.robots.text === "";
  put("host-block", host.blocked ? "release" : "block");
  byId("host-block").dataset.action = host.blocked ? "release" : "block";
  byId("host-controls").hidden = !mayControl();
  byId("host-details").hidden = false;
}

async function choose(name) {
  chosen = name;
  try {
    showHost(await ask("/host.json?" + new URLSearchParams({host: name})));
  } catch { /* as above */ }
}

function showExplanation(explained) {
  if (explained.error !== null) {
    put("explain-verdict", "not fetched: " + explained.error);
    return rows("explain-checks", []);
  }
  const [words] = VERDICT[explained.verdict] ?? [explained.verdict];
  put("explain-verdict", words + (explained.by === null ? "" : ": " + explained.by) + (explained.canonical === explained.url ? "" : " \u2014 known as " + explained.canonical));
  rows("explain-checks", explained.checks.map((check) => {
    const made = element("tr", VERDICT[check.verdict]?.[1] ?? "");
    made.append(element("td", "name", check.name), element("td", "status", check.verdict), element("td", "url", check.rule));
    return made;
  }));
}

async function explain(event) {
  event.preventDefault();
  try {
    showExplanation(await ask("/explain.json?" + new URLSearchParams({url: byId("explain-url").value.trim()})));
  } catch (reason) {
    put("explain-verdict", reason.message);
  }
}

async function change(body) {
  await order({...body, host: chosen});
  choose(chosen);
}

async function loop() {
  if (!document.hidden) await refresh();
  if (!document.hidden && chosen !== null) await choose(chosen);
  setTimeout(loop, EVERY_MS);
}

export function watchHosts() {
  byId("host-part").addEventListener("input", refresh);
  byId("host-standing").addEventListener("change", refresh);
  byId("explain").addEventListener("submit", explain);
  byId("hosts-form").addEventListener("submit", (event) => event.preventDefault());
  byId("host-block").addEventListener("click", () => change({action: byId("host-block").dataset.action}));
  byId("host-close").addEventListener("click", () => { chosen = null; byId("host-details").hidden = true; });
  byId("host-delay-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const seconds = byId("host-delay").value;
    change({action: "delay", value: seconds === "" ? null : Number(seconds)});
  });
  loop();
}
