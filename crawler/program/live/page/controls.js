// Changes the crawl through /control. The token is in the printed address, behind "#token=", where no server and no other page sees it.
import {byId, put} from "/format.js";

const KEY = "crawl-token";

const hasToken = () => sessionStorage.getItem(KEY) !== null;

let offered = false; // the crawl can be controlled

export const mayControl = () => offered && hasToken();

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given === null) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname);
}

function refuseToken(words) {
  sessionStorage.removeItem(KEY);
  showForms();
  put("token-words", words.includes("token") ? "that is not the token of this crawl" : words);
  byId("token-section").open = true;
  byId("token").focus();
}

// Shows the result on the page. Returns false if the order was refused.
export async function order(body) {
  try {
    const answer = await fetch("/control", {
      method: "POST", body: JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(5000),
      headers: {"Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem(KEY)},
    });
    const text = await answer.text();
    if (answer.status === 403) {
      refuseToken(text);
      return false;
    }
    put("control-words", JSON.parse(text).words);
    return answer.ok;
  } catch {
    put("control-words", "the crawl cannot be reached");
    return false;
  }
}

// Spectators see the figures first, and below them the place for a token.
function showForms() {
  byId("controls").hidden = !mayControl();
  byId("host-controls").hidden = !mayControl();
  byId("token-section").hidden = !offered || hasToken();
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
  addEventListener("hashchange", () => { takeToken(); showForms(); }); // the printed address was opened in this page
  byId("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, byId("token").value.trim());
    byId("token").value = "";
    put("token-words", "");
    showForms();
  });
  byId("pause").addEventListener("click", () => order({action: byId("pause").dataset.action}));
  byId("drain").addEventListener("click", () => order({action: "drain"}));
  byId("end").addEventListener("click", () => { if (confirm("End the crawl?")) order({action: "end"}); });
  onSubmit("connections-form", () => ({action: "connections", value: Number(byId("connections").value)}));
  onSubmit("delay-form", () => ({action: "delay", value: Number(byId("delay").value)}));
}

export function offerControls(is_there) {
  offered = is_there;
  showForms();
}
