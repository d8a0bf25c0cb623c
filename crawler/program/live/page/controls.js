// What can be changed, by /control. The token stands in the address that was printed, behind "#token=", where no server and no other page sees it.
import {byId, put} from "/format.js";

const KEY = "crawl-token";

export const hasToken = () => sessionStorage.getItem(KEY) !== null;

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
}

// What came of it is said on the page; false: it was refused.
export async function order(body) {
  try {
    const answer = await fetch("/control", {
      method: "POST", body: JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(5000),
      headers: {"Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem(KEY)},
    });
    if (answer.status === 403) {
      sessionStorage.removeItem(KEY);
      showForms();
    }
    const text = await answer.text();
    put("control-words", answer.status === 403 ? text : JSON.parse(text).words);
    return answer.ok;
  } catch {
    put("control-words", "the crawl cannot be reached");
    return false;
  }
}

function showForms() {
  byId("token-form").hidden = hasToken();
  byId("control-forms").hidden = !hasToken();
  byId("host-controls").hidden = !hasToken();
}

export function showPaused(stats) {
  put("pause", stats.paused ? "resume" : "pause");
  byId("pause").dataset.action = stats.paused ? "resume" : "pause";
  byId("drain").disabled = stats.draining;
  if (document.activeElement !== byId("connections") && byId("connections").value === "") byId("connections").value = stats.connections.limit;
}

function onSubmit(id, make) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    order(make());
  });
}

export function beginControls() {
  takeToken();
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, byId("token").value.trim());
    byId("token").value = "";
    showForms();
  });
  byId("pause").addEventListener("click", () => order({action: byId("pause").dataset.action}));
  byId("drain").addEventListener("click", () => order({action: "drain"}));
  byId("end").addEventListener("click", () => { if (confirm("End the crawl?")) order({action: "end"}); });
  onSubmit("connections-form", () => ({action: "connections", value: Number(byId("connections").value)}));
  onSubmit("delay-form", () => ({action: "delay", value: Number(byId("delay").value)}));
}

export function offerControls(crawl) {
  byId("controls").hidden = !crawl.controls;
  if (crawl.controls) showForms();
}
