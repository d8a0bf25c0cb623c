// The workers of a shared crawl, and their sum: `shared` of /stats.json.
import {byId, bytes, duration, element, pace, put, rows, time, whole} from "/format.js";

const STATE = {alive: ["alive", "good"], ended: ["ended", ""], gone: ["gone", "bad"]};

// Workers name themselves MACHINE-PROCESS-RANDOM; the last part is of no use to people.
const nameOf = (worker) => worker.name.replace(/-[0-9a-f]{16}$/, "");
const known = (value, words) => value === null ? "" : words(value);

function cells(report) {
  return [known(report.pages, whole), known(report.pages_per_s, pace), known(report.failures, whole), known(report.received, bytes),
    known(report.running, whole), known(report.hosts, whole)].map((text) => element("td", "count", text));
}

function lineOf(worker, at) {
  const [state, tone] = STATE[worker.state], line = element("tr", tone), name = element("th", "url", nameOf(worker));
  const when = [worker.self ? "this worker" : "", worker.feeding ? "has seeds to push" : "", worker.version];
  if (worker.state !== "alive" && worker.told) when.push("until " + time(worker.told));
  else if (worker.started) when.push("for " + duration(Math.max(0, (at - new Date(worker.started)) / 1000)));
  name.scope = "row";
  name.title = worker.name;
  name.append(element("div", "quiet", when.filter((words) => words).join(", ")));
  // Its last figures say nothing about now.
  const report = worker.state === "alive" ? worker : {...worker, pages_per_s: null, running: null, hosts: null};
  line.append(name, element("td", "status", state), ...cells(report));
  return line;
}

function sumOf(shared) {
  const line = element("tr", "total"), name = element("th", "", "all");
  name.scope = "row";
  line.append(name, element("td"), ...cells(shared.total));
  return line;
}

function wordsOf(shared) {
  const rest = shared.alive + shared.gone - shared.workers.length;
  return whole(shared.alive) + (shared.alive === 1 ? " worker" : " workers") + (shared.gone ? ", and " + whole(shared.gone) + " that ended or died" : "") +
    (rest > 0 ? " (" + whole(rest) + " of them in the sum alone)" : "") + (shared.lost ? "; " + whole(shared.lost) + " sessions of hosts ended with their worker" : "") +
    (shared.away ? "; Redis is away: figures of " + time(shared.read) : "") + ". The other figures of this page are of this worker alone.";
}

export function showWorkers(shared) {
  for (const part of document.querySelectorAll("[data-alone]")) part.hidden = shared !== null; // the filter is in Redis
  byId("workers-section").hidden = shared === null || shared.read === null;
  if (byId("workers-section").hidden) return;
  put("all-pages", whole(shared.total.pages ?? 0));
  put("all-pace", pace(shared.total.pages_per_s ?? 0));
  put("all-queued", whole(shared.queued));
  put("all-held", whole(shared.held));
  put("all-finished", whole(shared.finished));
  put("all-seen", whole(shared.accepted));
  put("workers-words", wordsOf(shared));
  rows("workers", shared.workers.map((worker) => lineOf(worker, new Date(shared.read))));
  rows("workers-sum", [sumOf(shared)]);
  put("pages-of", "pages of this worker");
}
