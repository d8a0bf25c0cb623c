// The course of the crawl so far, from /timeline.json, and the results of its requests, from /breakdown.json.
import {ask, byId, duration, element, none, pace, percent, put, row, rows, time, whole} from "/format.js";

const EVERY_MS = 4000, WIDTH = 600, HEIGHT = 90;

// values: undefined if unknown. The highest value is shown below, because a line alone has no scale.
function draw(id, seconds, values, words) {
  const top = Math.max(...values, 0) || 1, from = seconds[0] ?? 0, over = (seconds.at(-1) ?? 1) - from || 1;
  const points = values.map((value, i) => ((seconds[i] - from) / over * WIDTH).toFixed(1) + "," + (HEIGHT - 2 - value / top * (HEIGHT - 8)).toFixed(1)).join(" ");
  byId(id + "-line").setAttribute("points", points);
  byId(id + "-area").setAttribute("points", points ? "0," + HEIGHT + " " + points + " " + WIDTH + "," + HEIGHT : "");
  put(id + "-words", words(Math.max(...values, 0)));
}

function showTimeline(line) {
  const paces = line.pages.slice(1).map((pages, i) => (pages - line.pages[i]) / Math.max(0.001, line.elapsed_s[i + 1] - line.elapsed_s[i]));
  const last = line.elapsed_s.length - 1;
  draw("run-pace", line.elapsed_s.slice(1), paces, (top) => "pages a second, at most " + pace(top));
  draw("run-queue", line.elapsed_s, line.queued, (top) => "URLs waiting, at most " + whole(top));
  draw("run-fill", line.elapsed_s, line.filter_fill, () => "fill of the filter, now " + percent(line.filter_fill[last] ?? 0));
  draw("run-lost", line.elapsed_s, line.filter_lost, (top) => "URLs expected lost, now " + (top > 0 && top < 10 ? top.toFixed(4) : whole(top)));
  put("run-over", "over " + duration(line.elapsed_s[last] ?? 0));
}

const bars = (pairs, tone) => {
  const most = Math.max(1, ...pairs.map(([, count]) => count));
  return pairs.map(([name, count]) => row(name, whole(count), count / most, tone));
};

function exampleOf(example) {
  const made = element("li");
  made.append(element("div", "url", example.url));
  if (example.words !== null) made.append(element("div", "why", example.words));
  if (example.parent !== null) made.append(element("div", "quiet url", "found on " + example.parent));
  made.append(element("div", "quiet", time(example.at)));
  return made;
}

// Open ones stay open, because each kind keeps its element.
function showErrors(errors) {
  const list = byId("error-kinds");
  put("errors-none", errors.length ? "" : "none so far");
  [...errors].sort((a, b) => b.count - a.count).forEach((kind) => {
    let made = [...list.children].find((child) => child.dataset.kind === kind.kind);
    if (!made) {
      made = element("details");
      made.dataset.kind = kind.kind;
      made.append(element("summary"), element("ul"));
    }
    made.firstChild.textContent = (/^\d+$/.test(kind.kind) ? "status " : "") + kind.kind + ": " + whole(kind.count);
    if (made.dataset.count !== String(kind.count)) made.lastChild.replaceChildren(...kind.examples.map(exampleOf));
    made.dataset.count = kind.count;
    list.append(made);
  });
}

function showBreakdown(all) {
  const depths = all.depths.map((count, depth) => ["depth " + depth, count]);
  if (all.deeper) depths.push(["deeper", all.deeper]);
  const types = all.types.map(({type, count}) => [type, count]).sort((a, b) => b[1] - a[1]);
  if (all.other_types) types.push(["others", all.other_types]);
  if (all.untyped) types.push(["none said", all.untyped]);
  rows("depths", depths.length ? bars(depths) : [none("none yet")]);
  rows("types", types.length ? bars(types) : [none("none yet")]);
  showErrors(all.errors);
}

export async function watchCharts() {
  try {
    if (!document.hidden) showTimeline(await ask("/timeline.json"));
    if (!document.hidden) showBreakdown(await ask("/breakdown.json"));
  } catch { /* the figures show that the crawl is gone */ }
  setTimeout(watchCharts, EVERY_MS);
}
