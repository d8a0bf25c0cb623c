// The last requests as they come by /events, and the filters for showing them. The page filters, so that filters apply to earlier requests too.
import {byId, bytes, element, put, time, whole} from "/format.js";

const KEPT = 1000, SHOWN = 60;

let requests = [];  // newest first
let newest = 0;     // number of the newest
let missed = 0;     // requests that came faster than they are sent

const hostOf = (url) => url.split("/", 3)[2] ?? "";
const classOf = (request) => request.status ? Math.floor(request.status / 100) + "xx" : "none";
const isError = (request) => request.error !== null || request.status >= 400;

function isWanted(request) {
  const status = byId("by-status").value, host = byId("by-host").value.trim().toLowerCase(), kind = byId("by-error").value;
  return (status === "" || classOf(request) === status) && (host === "" || hostOf(request.url).includes(host)) &&
    (kind === "" || (kind === "errors" ? isError(request) : request.error === kind));
}

function toneOf(request) {
  if (request.error !== null || request.status >= 500) return "bad";
  return request.status >= 400 ? "warn" : request.status >= 300 ? "" : "good";
}

function lineOf(request) {
  const line = element("tr", toneOf(request)), url = element("td", "url");
  url.append(element("div", "", request.url + (request.cut ? "\u2026" : "")));
  if (request.error !== null) url.append(element("div", "why", request.error + (request.words ? ": " + request.words : "")));
  line.append(element("td", "when", time(request.at)), element("td", "status", request.status || request.error), url,
    element("td", "count", whole(request.elapsed_ms) + " ms"), element("td", "count", bytes(request.bytes)), element("td", "type", request.type ?? ""));
  return line;
}

function draw() {
  if (byId("hold").checked) return;
  const wanted = requests.filter(isWanted);
  byId("requests").replaceChildren(...wanted.slice(0, SHOWN).map(lineOf));
  put("requests-count", wanted.length === 0 ? (requests.length ? "none of the last " + whole(requests.length) + " is such a one" : "none yet")
    : "the last " + whole(Math.min(SHOWN, wanted.length)) + " of " + whole(wanted.length) + " that are remembered here" +
      (missed ? "; " + whole(missed) + " came too fast to be shown" : ""));
}

/* Offers the errors met so far as choices. */
function offer(error) {
  const choice = byId("by-error");
  if ([...choice.options].some((option) => option.value === error)) return;
  const option = element("option", "", error);
  option.value = error;
  choice.append(option);
}

function take(event) {
  const fresh = JSON.parse(event.data).filter((request) => request.number > newest);
  if (!fresh.length) return;
  if (newest) missed += fresh[0].number - newest - 1;
  newest = fresh.at(-1).number;
  fresh.forEach((request) => { if (request.error !== null) offer(request.error); });
  requests = [...fresh.reverse(), ...requests].slice(0, KEPT);
  draw();
}

// Calls atEnd with the last figures.
export function follow(atEnd) {
  const stream = new EventSource("/events");
  stream.addEventListener("requests", take);
  stream.addEventListener("end", (event) => {
    stream.close();
    atEnd(JSON.parse(event.data));
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED && !newest) put("requests-count", "too many viewers; load the page again later");
  });
  for (const name of ["by-status", "by-error", "hold"]) byId(name).addEventListener("change", draw);
  byId("by-host").addEventListener("input", draw);
}
