// Opens a WACZ with wabac.js, as ReplayWeb.page does: node wabac_open.mjs FILE TIME/URL... Prints as JSON its pages, the
// replayed responses of these URLs, and whether its signature is valid. IndexedDB is in memory.
import "fake-indexeddb/auto";
import fs from "node:fs";

globalThis.self = Object.assign(globalThis, { location: new URL("http://localhost/"), skipWaiting() {} });
self.addEventListener ??= () => {};
console.log = console.warn; // standard output is for the answer
const { ArchiveRequest, WorkerLoader } = await import("@webrecorder/wabac/swlib");

const [file, ...places] = process.argv.slice(2);
const loader = new WorkerLoader(self);
await loader._initDB();
const extra = { arrayBuffer: new Uint8Array(fs.readFileSync(file)) };
const source = { sourceUrl: "file:///it.wacz", name: "it.wacz", extra };
const { store } = await loader.addCollection({ name: "it", file: source }, (percent, error) => console.warn(error));

async function replay(place) {
  const [ts, url] = [place.slice(0, place.indexOf("/")), place.slice(place.indexOf("/") + 1)];
  const request = new ArchiveRequest(`${ts}mp_/${url}`, new Request("http://localhost/"));
  const response = await store.getResource(request, "http://localhost/", { clientId: "" }, { noRedirect: true });
  const body = response && Buffer.from(await response.getBuffer()).toString("base64");
  return response && { url, status: response.status, headers: Object.fromEntries(response.headers), body };
}

const replayed = [];
for (const place of places) replayed.push(await replay(place));
const { matched } = await store.db.get("verification", "signature");
const answer = JSON.stringify({ pages: await store.getAllPages(), replayed, signed: matched }) + "\n";
process.stdout.write(answer, () => process.exit(0));
