// Asks /stats.json every second and shows what it says. What comes from there is put in as text alone: hosts and errors are named by strangers.
"use strict";

const EVERY_MS = 1000, PATIENCE_MS = 5000;
const BOUND = {
  nothing: "Nothing: there is work, and room for it", pauses: "Pauses of hosts", "per-host": "Requests at once to a host",
  blocks: "Hosts that asked to wait or failed", dates: "Nothing is due yet", answers: "Answers, with nothing else queued",
  names: "The lookup of host names", connections: "Connections: all are in use", processor: "The processor", disk: "The disk of --state",
  records: "Redis, which takes the records", paused: "Nobody: it is paused",
};
const SHORT = {
  nothing: "nothing", pauses: "pauses", "per-host": "requests at once", blocks: "hosts that wait or fail", dates: "nothing due", answers: "answers",
  names: "host names", connections: "connections", processor: "processor", disk: "disk", records: "redis", paused: "paused",
};
const VERDICT = {
  new: ["new", "good"], seen: ["seen before", ""], repeated: ["named on their page before", ""], element: ["of elements not followed", ""],
  nofollow: ["nofollow", ""], depth: ["beyond the depth", ""], scope: ["out of scope", ""], filter: ["left out by include and exclude", ""],
  refused: ["refused by a hook", ""], duplicate: ["on pages like another", ""], "not-http": ["not http", ""], "no-url": ["no URL", ""],
  full: ["beyond max_queued or max_hosts", "warn"], redirects: ["too many redirects", "warn"],
};
const STANDING = {
  ready: ["may be asked now", "good"], paused: ["held by their pause", ""], busy: ["being asked", ""],
  blocked: ["asked to wait, or failed", "warn"], later: ["nothing due yet", ""],
};
const STATUS = {"1xx": "", "2xx": "good", "3xx": "", "4xx": "warn", "5xx": "bad", other: "bad"};

const byId = (id) => document.getElementById(id);
const put = (id, text) => { byId(id).textContent = text; };
const whole = (value) => Math.round(value).toLocaleString("en");
const pace = (value) => value < 10 ? value.toFixed(1) : whole(value);
const percent = (share) => share > 0 && share < 0.001 ? "< 0.1%" : (share * 100).toFixed(1) + "%";
const rate = (value) => String(Number(value.toPrecision(2)));

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < 4; unit++) value /= 1024;
  return (unit ? value.toFixed(1) : value) + " " + units[unit];
}

function duration(s) {
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + Math.floor(s % 60) + " s";
  return Math.floor(s / 3600) + " h " + Math.floor(s / 60 % 60) + " min";
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// share: 0 to 1, a bar; undefined: none.
function row(name, count, share, className) {
  const line = element("tr", className);
  line.append(element("td", "name", name), element("td", "count", count));
  if (share !== undefined) {
    const cell = element("td", "bar"), bar = element("div"), filled = element("div");
    filled.style.width = Math.min(100, share * 100) + "%";
    bar.append(filled);
    cell.append(bar);
    line.append(cell);
  }
  return line;
}

const rows = (id, lines) => byId(id).replaceChildren(...lines);
const none = (words) => { const line = element("tr", "none"); line.append(element("td", "", words)); return line; };
const sum = (object) => Object.values(object).reduce((a, b) => a + b, 0);

function showPace(stats) {
  put("pages", whole(stats.pages));
  put("recent", pace(stats.recent_pages_per_s));
  put("overall", pace(stats.pages_per_s));
  put("received", bytes(stats.bytes_received));
  const paces = stats.pages_per_s_history.length > 1 ? stats.pages_per_s_history : [0, 0];
  const top = Math.max(1, ...paces), last = paces.length - 1;
  const points = paces.map((value, i) => (i / last * 600).toFixed(1) + "," + (88 - value / top * 84).toFixed(1)).join(" ");
  byId("spark-line").setAttribute("points", points);
  byId("spark-area").setAttribute("points", "0,90 " + points + " 600,90");
  put("spark-from", duration(paces.length) + " ago");
  put("spark-top", "at most " + pace(top) + " a second");
}

function showBound(bound) {
  const all = sum(bound.time_s);
  const parts = Object.entries(bound.time_s).map(([by, s], i) => ({by, s, shade: "shade-" + i})).filter((part) => part.s > 0);
  parts.sort((a, b) => b.s - a.s);
  put("bound", BOUND[bound.by] ?? bound.by);
  put("bound-words", bound.words ?? "");
  byId("bound-times").replaceChildren(...parts.map((part) => {
    const piece = element("div", part.shade);
    piece.style.width = part.s / all * 100 + "%";
    return piece;
  }));
  byId("bound-legend").replaceChildren(...parts.map((part) => {
    const item = element("span");
    item.append(element("i", part.shade), (SHORT[part.by] ?? part.by) + " " + percent(part.s / all));
    return item;
  }));
}

function showQueue(stats) {
  const {queue, connections, visits} = stats;
  const again = queue.revisits + visits.again ? [
    row("to be visited again", whole(queue.revisits), queue.revisits / Math.max(1, queue.queued)),
    row("visits again", whole(visits.again)),
    row("of these, changed", whole(visits.changed), visits.changed / Math.max(1, visits.again)),
  ] : [];
  rows("queue", [
    row("waiting", whole(queue.queued), queue.queued / Math.max(1, queue.queued + queue.leased + queue.finished)),
    row("taken from it", whole(queue.leased), queue.leased / Math.max(1, connections.limit)),
    row("finished", whole(queue.finished), queue.finished / Math.max(1, queue.queued + queue.leased + queue.finished), "good"),
    row("connections in use", whole(connections.in_use) + " of " + whole(connections.limit), connections.in_use / connections.limit),
    ...again,
  ]);
}

/* Each verdict that --links has, so that they add up; those of which there are none are left out. */
function showLinks(links) {
  rows("links", [
    row("found", whole(links.found), 1),
    ...Object.entries(links.by_verdict).filter(([, count]) => count).sort((a, b) => b[1] - a[1]).map(([verdict, count]) => {
      const [words, className] = VERDICT[verdict] ?? ["beyond " + verdict, "warn"];
      return row(words, whole(count), count / links.found, className);
    }),
  ]);
}

function showHosts(hosts) {
  const all = Math.max(1, sum(hosts.standing));
  rows("hosts", [row("known", whole(hosts.known)), ...Object.entries(hosts.standing).map(([standing, count]) => {
    const [words, className] = STANDING[standing] ?? [standing, ""];
    return row(words, whole(count), count / all, className);
  })]);
  put("due", hosts.next_due_s === null ? "" : "Next: " + hosts.next_due_host + " in " + duration(hosts.next_due_s));
  rows("most-queued", hosts.most_queued.map((host) => row(host.host, whole(host.queued) + " queued")));
}

function showAnswers(stats) {
  const statuses = Object.entries(stats.status).filter(([, count]) => count).map(([name, count]) =>
    row(name, whole(count), count / stats.pages, STATUS[name]));
  rows("status", statuses.length ? statuses : [none("none yet")]);
  const errors = Object.entries(stats.errors_by_class).filter(([, count]) => count).sort((a, b) => b[1] - a[1]).map(([name, count]) =>
    row(name, whole(count), count / stats.errors, "bad"));
  rows("errors", errors.length ? errors : [none("none")]);
  put("retries", whole(stats.retries) + " retries, " + whole(stats.robots_asked) + " robots.txt asked");
}

function showFilter(filter) {
  rows("filter", [
    row("kind", filter.kind),
    row("URLs", whole(filter.keys)),
    row("memory", bytes(filter.bytes)),
    row("fill", percent(filter.fill)),
    row("false positives", rate(filter.false_positive_rate) + (filter.false_positive_limit ? ", limit " + rate(filter.false_positive_limit) : "")),
    row("URLs expected lost", filter.expected_lost > 0 && filter.expected_lost < 10 ? filter.expected_lost.toFixed(4) : whole(filter.expected_lost)),
  ]);
}

function showMemory(stats) {
  const all = Math.max(1, stats.memory.resident_bytes);
  const lines = [
    row("process", bytes(stats.memory.resident_bytes), 1),
    row("queue", bytes(stats.queue.memory_bytes), stats.queue.memory_bytes / all),
    row("filter", bytes(stats.filter.bytes), stats.filter.bytes / all),
  ];
  if (stats.queue.disk_bytes) lines.push(row("disk of --state", bytes(stats.queue.disk_bytes)));
  rows("memory", lines);
}

function badge(className, words) {
  byId("state").className = "badge " + className;
  put("state", words);
}

function show(stats) {
  const running = stats.state === "running";
  badge(running ? "running" : "ending", running ? "running" : "ending: " + stats.state);
  put("version", stats.version);
  put("since", "for " + duration(stats.elapsed_s));
  document.title = "crawl: " + whole(stats.pages) + " pages";
  showPace(stats);
  showBound(stats.bound);
  showQueue(stats);
  showLinks(stats.links);
  showHosts(stats.hosts);
  showAnswers(stats);
  showFilter(stats.filter);
  showMemory(stats);
  byId("figures").hidden = false;
  byId("figures").classList.remove("old");
  byId("lost").hidden = true;
}

let last = null; // the figures shown, and when they came

function showLost() {
  const over = last !== null && last.stats.state !== "running";
  badge("lost", over ? "ended" : "not reachable");
  put("lost", last === null ? "The crawl cannot be reached. It has ended, or was not started with --listen here. Trying again."
    : over ? "The crawl has ended: " + last.stats.state + ". These are its last figures, of " + last.at.toLocaleTimeString() + "."
      : "The crawl has ended, or cannot be reached any more. These are its figures of " + last.at.toLocaleTimeString() + ". Trying again.");
  byId("lost").hidden = false;
  byId("figures").classList.add("old");
  document.title = "crawl: " + (over ? "ended" : "not reachable");
}

async function poll() {
  let stats;
  try {
    const answer = await fetch("/stats.json", {cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS)});
    if (!answer.ok) throw new Error(answer.statusText);
    stats = await answer.json();
  } catch {
    showLost();
    return;
  }
  last = {stats, at: new Date()};
  show(stats);
}

async function loop() {
  await poll();
  setTimeout(loop, EVERY_MS);
}

loop();
