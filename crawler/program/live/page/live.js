// Requests /stats.json every second and shows it, until the crawl has ended. Starts the other parts of the page.
import {ask, byId, duration, put, time, whole} from "/format.js";
import {showFigures} from "/figures.js";
import {watchCharts} from "/charts.js";
import {beginControls, offerControls, showPaused} from "/controls.js";
import {watchHosts} from "/hosts.js";
import {showIdentity, siteName} from "/identity.js";
import {follow} from "/requests.js";
import {showWorkers} from "/workers.js";

const EVERY_MS = 1000, AFTER_END_MS = 5000;

let last = null;  // the figures shown, and the time of their arrival
let ended = false;
let late = 0;     // late answers in a row

function badge(className, words) {
  byId("state").className = "badge " + className;
  if (byId("state").textContent !== words) put("state", words); // a screen reader should only announce changes
}

function say(words) {
  if (byId("lost").textContent !== words) put("lost", words);
  byId("lost").hidden = words === "";
}

function entitle(words) {
  document.title = siteName() + ": " + words;
}

function show(stats) {
  const running = stats.state === "running";
  badge(running && !stats.paused ? "running" : "ending", !running ? "ending: " + stats.state : stats.draining ? "draining" : stats.paused ? "paused" : "running");
  put("since", running && !stats.paused ? "for " + duration(stats.elapsed_s) : "begun " + duration(stats.elapsed_s) + " ago");
  entitle(whole(stats.pages) + " pages");
  showFigures(stats);
  showWorkers(stats.shared);
  showPaused(stats);
  byId("figures").hidden = false;
  byId("figures").classList.remove("old");
}

// Shows the end of the crawl, from the stream of events or, without that, from the last figures.
function showEnd(stats, at) {
  ended = true;
  last = {stats, at};
  offerControls(false);
  show(stats);
  badge("ended", "ended");
  put("since", "after " + duration(stats.elapsed_s));
  say("The crawl has ended: " + stats.state + ". " + whole(stats.pages) + " pages in " + duration(stats.elapsed_s) + ", " + whole(stats.errors) +
    (stats.errors === 1 ? " error" : " errors") + ", " + whole(stats.queue.queued) + " left in the queue. These are its last figures, of " + time(at) + ".");
  entitle("ended");
}

function showLost() {
  if (last !== null && last.stats.state !== "running") return showEnd(last.stats, last.at);
  badge("lost", "not reachable");
  put("since", "");
  say(last === null ? "The crawl cannot be reached. It has ended, or was not started with --listen here. Trying again."
    : "The crawl was killed, or cannot be reached any more. These are its figures of " + time(last.at) + ". Trying again.");
  byId("figures").classList.add("old");
  entitle("not reachable");
}

async function poll() {
  let stats;
  try {
    stats = await ask("/stats.json");
  } catch (reason) {
    // A late answer says nothing about the crawl: a browser that was busy for so long gives up answers it has already received.
    if (!ended && (reason.name !== "TimeoutError" || late++ > 0)) showLost();
    return;
  }
  late = 0;
  // Another crawl listens here now.
  if (last !== null && last.stats.started !== stats.started) return location.reload();
  if (ended) return; // requested before the end was reported
  last = {stats, at: new Date()};
  show(stats);
  say("");
}

async function loop() {
  await poll();
  setTimeout(loop, ended ? AFTER_END_MS : EVERY_MS);
}

async function sayWhich() {
  try {
    const crawl = await ask("/crawl.json");
    showIdentity(crawl);
    offerControls(crawl.controls && !ended);
  } catch {
    setTimeout(sayWhich, AFTER_END_MS);
  }
}

beginControls();
loop();
follow((stats) => showEnd(stats, new Date()));
watchHosts();
watchCharts();
sayWhich();
