// The identity of the crawl, from /crawl.json. Requested once, because it does not change.
import {byId, element, put, rows} from "/format.js";

function line(name, ...values) {
  const made = element("tr"), head = element("th", "", name), cell = element("td");
  head.scope = "row";
  cell.append(...values);
  made.append(head, cell);
  return made;
}

function seedsOf(crawl) {
  const list = crawl.seeds.map((seed) => element("div", "url", seed));
  if (crawl.seed_count > crawl.seeds.length) list.push(element("div", "quiet", "and " + (crawl.seed_count - crawl.seeds.length) + " more"));
  if (crawl.seeds_file) list.push(element("div", "url", "those of " + crawl.seeds_file));
  if (!list.length) list.push("those of the runs before");
  return list;
}

const settingsOf = (settings) => settings.map(({key, value}) => {
  const made = element("div", "url");
  made.append(element("span", "quiet", key + " = "), value);
  return made;
});

// "example.com", "example.com and 3 more", "seeds.txt"
function nameOf(crawl) {
  if (crawl.seeds.length === 0) return crawl.seeds_file || crawl.state || "crawl";
  const more = crawl.seed_count - 1;
  return new URL(crawl.seeds[0]).host + (more > 0 || crawl.seeds_file ? " and " + (crawl.seeds_file ? "others" : more + " more") : "");
}

let name = "crawl"; // until /crawl.json has come

export const siteName = () => name;

export function showIdentity(crawl) {
  name = nameOf(crawl);
  put("site", name);
  put("version", "crawl " + crawl.version);
  rows("identity", [
    line("seeds", ...seedsOf(crawl)),
    line("started", new Date(crawl.started).toLocaleString("en-GB"), " as process " + crawl.process),
    line("kept in", crawl.state ? crawl.state + (crawl.resumed ? ", which goes on" : "") : "memory alone"),
    line("settings", ...(crawl.settings.length ? settingsOf(crawl.settings) : ["the defaults"])),
  ]);
  byId("which").hidden = false;
}
