// The figures of /stats.json, section by section.
import {byId, bytes, duration, element, none, pace, percent, put, rate, row, rows, sum, whole} from "/format.js";

const BOUND = {
  nothing: "Nothing: there is work, and room for it", pauses: "Pauses of hosts", "per-host": "Requests at once to a host",
  blocks: "Hosts that asked to wait or failed", dates: "Nothing is due yet", answers: "Answers, with nothing else queued",
  names: "The lookup of host names", connections: "Connections: all are in use", processor: "The processor", disk: "The disk of --state",
  records: "Redis, which takes the records", paused: "Nobody: it is paused", rate: "The rate limit", browser: "The browser",
};
const SHORT = {
  nothing: "nothing", pauses: "pauses", "per-host": "requests at once", blocks: "hosts that wait or fail", dates: "nothing due", answers: "answers",
  names: "host names", connections: "connections", processor: "processor", disk: "disk", records: "redis", paused: "paused", rate: "rate limit", browser: "browser",
};
const VERDICT = {
  new: ["new", "good"], seen: ["seen before", ""], repeated: ["named on their page before", ""], element: ["of elements not followed", ""],
  nofollow: ["nofollow", ""], depth: ["beyond the depth", ""], scope: ["out of scope", ""], filter: ["left out by include and exclude", ""],
  refused: ["refused by a hook", ""], duplicate: ["on pages like another", ""], "not-http": ["not http", ""], "no-url": ["no URL", ""],
  full: ["beyond max_queued or max_hosts", "warn"], port: ["to ports that browsers block", ""], redirects: ["too many redirects", "warn"],
};
const STANDING = {
  ready: ["may be asked now", "good"], paused: ["held by their pause", ""], busy: ["being asked", ""],
  blocked: ["asked to wait, or failed", "warn"], later: ["nothing due yet", ""],
};
const STATUS = {"1xx": "", "2xx": "good", "3xx": "", "4xx": "warn", "5xx": "bad", other: "bad"};

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

/* All verdicts of --links, so that they add up, without zeros. */
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
  const external = Object.entries(stats.external).filter(([, count]) => count).map(([name, count]) =>
    (name === "none" ? "without an answer" : name) + " " + whole(count));
  put("external", external.length ? "Links to other sites checked: " + external.join(", ") : "");
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

export function showFigures(stats) {
  showPace(stats);
  showBound(stats.bound);
  showQueue(stats);
  showLinks(stats.links);
  showHosts(stats.hosts);
  showAnswers(stats);
  showFilter(stats.filter);
  showMemory(stats);
}
