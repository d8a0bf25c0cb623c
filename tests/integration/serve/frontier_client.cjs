// Makes every call of the protocol URLFrontier by @grpc/grpc-js, checks the answers against the protocol, and prints the
// names of the calls.
// usage: node frontier_client.cjs ADDRESS PROTO-FILE [ROOT-CERTIFICATE TOKEN-FILE]
const assert = require("node:assert/strict");
const fs = require("node:fs");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, proto, root, tokenFile] = process.argv.slice(2);
const called = new Set();

function connect() {
    const service = grpc.loadPackageDefinition(loader.loadSync(proto, {keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true}))
        .urlfrontier.URLFrontier;
    if (!root)
        return new service(address, grpc.credentials.createInsecure());
    const token = fs.readFileSync(tokenFile, "utf8").trim();
    const shows = grpc.credentials.createFromMetadataGenerator((_, give) => {
        const metadata = new grpc.Metadata();
        metadata.set("authorization", `Bearer ${token}`);
        give(null, metadata);
    });
    return new service(address, grpc.credentials.combineChannelCredentials(grpc.credentials.createSsl(fs.readFileSync(root)), shows));
}

const client = connect();

// Makes a call with one answer.
function ask(name, request = {}) {
    called.add(name);
    return new Promise((resolve, reject) => client[name](request, (error, answer) => error ? reject(error) : resolve(answer)));
}

function gather(stream) {
    return new Promise((resolve, reject) => {
        const got = [];
        stream.on("data", item => got.push(item)).on("end", () => resolve(got)).on("error", reject);
    });
}

// Makes a call whose answers are a stream.
function list(name, request = {}) {
    called.add(name);
    return gather(client[name](request));
}

// Makes a call of two streams. Writes as fast as the server reads.
async function exchange(name, items) {
    called.add(name);
    const stream = client[name]();
    const answers = gather(stream);
    for (const item of items)
        if (!stream.write(item))
            await new Promise(resolve => stream.once("drain", resolve));
    stream.end();
    return answers;
}

const info = (url, more = {}) => ({url, ...more});
const found = (url, more) => ({discovered: {info: info(url, more)}});
const known = (url, date = 0) => ({known: {info: info(url), refetchable_from_date: date}});
const statuses = acks => acks.map(ack => ack.status);
const urls = items => items.map(item => item.url);

async function put_and_get() {
    const metadata = {depth: {values: ["3", "ü"]}};
    assert.deepEqual(statuses(await exchange("PutURLs", [found("http://a.com/1", {metadata}), found("http://a.com/1"), {}])), ["OK", "SKIPPED", "SKIPPED"]);
    assert.deepEqual(await exchange("PutDiscovered", [{ID: "b", items: [info("http://b.com/1"), info("http://a.com/1"), info("none")]}]),
        [{ID: "b", statuses: ["OK", "SKIPPED", "SKIPPED"]}]);
    const got = await list("GetURLs", {max_urls_per_queue: 1, delay_requestable: 1000});
    assert.deepEqual(urls(got).sort(), ["http://a.com/1", "http://b.com/1"]);
    assert.deepEqual(got.find(item => item.key === "a.com").metadata, metadata);
    assert.deepEqual(statuses(await exchange("PutURLs", [known("http://a.com/1"), known("http://b.com/1", 4e9)])), ["OK", "OK"]);
    const status = await ask("GetURLStatus", {url: "http://b.com/1"});
    assert.equal(status.known.refetchable_from_date, 4e9);
    await assert.rejects(ask("GetURLStatus", {url: "http://none.com/1"}), {code: grpc.status.NOT_FOUND});
    await assert.rejects(ask("GetURLStatus", {url: "none"}), {code: grpc.status.INVALID_ARGUMENT});
}

async function look() {
    const {counts, ...stats} = await ask("GetStats");
    assert.deepEqual([stats.size, stats.inProcess, stats.numberOfQueues, counts.completed], [1, 0, 2, 1]);
    assert.deepEqual((await ask("ListQueues", {include_inactive: true})).values, ["a.com", "b.com"]);
    assert.deepEqual((await ask("ListQueues")).values, ["b.com"]);
    assert.deepEqual((await list("ListURLs", {filter: "A.COM", ignoreCase: true})).map(item => item.known.info.url), ["http://a.com/1"]);
    assert.equal((await ask("CountURLs")).value, 2);
    assert.deepEqual((await ask("ListCrawls")).values, ["DEFAULT"]);
    assert.equal((await ask("ListNodes")).values.length, 1);
    await ask("SetLogLevel", {package: "x", level: "WARN"});
}

async function settings() {
    await exchange("PutURLs", [found("http://c.com/1"), found("http://c.com/2")]);
    await ask("SetActive", {state: false});
    assert.deepEqual([(await ask("GetActive")).state, await list("GetURLs")], [false, []]);
    await ask("SetActive", {state: true});
    await ask("BlockQueueUntil", {key: "c.com", time: 4e9});
    assert.deepEqual(await list("GetURLs"), []);
    await ask("BlockQueueUntil", {key: "c.com", time: 0});
    await ask("SetDelay", {key: "c.com", delay_requestable: 1000});
    assert.deepEqual(urls(await list("GetURLs", {key: "c.com", crawlID: "DEFAULT", max_urls_per_queue: 1})), ["http://c.com/1"]);
    assert.deepEqual(await list("GetURLs"), []);
    await ask("SetCrawlLimit", {key: "c.com", limit: 1});
}

// Sends and receives more than the windows of HTTP/2 hold, and cancels a stream.
async function much() {
    const many = Array.from({length: 5000}, (_, n) => found(`http://d${n % 50}.com/${n}`, {metadata: {x: {values: ["v".repeat(300)]}}}));
    const acks = await exchange("PutURLs", many);
    assert.deepEqual(acks.map(ack => ack.ID), many.map(item => item.discovered.info.url));
    assert.ok(acks.every(ack => ack.status === "OK"));
    const stream = client.GetURLs({});
    await new Promise(resolve => stream.once("data", resolve));
    const ended = new Promise(resolve => stream.on("error", resolve));
    stream.cancel();
    assert.equal((await ended).code, grpc.status.CANCELLED);
    const streams = await Promise.all(Array.from({length: 50}, (_, n) => exchange("PutURLs", [found(`http://e.com/${n}`)])));
    assert.ok(streams.every(acks => statuses(acks)[0] === "OK"));
    assert.equal((await list("ListURLs", {size: 10000})).length, 5054);
}

async function remove() {
    assert.equal((await ask("DeleteQueue", {key: "a.com"})).value, 1);
    assert.equal((await ask("PurgeURLs", {days: 1})).value, 0);
    assert.equal((await ask("DeleteCrawl", {value: "DEFAULT"})).value, 5053);
}

(async () => {
    for (const part of [put_and_get, look, settings, much, remove])
        await part();
    console.log([...called].sort().join(" "));
    client.close();
})();
