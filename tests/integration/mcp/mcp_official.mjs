// Drives `crawl mcp` with the official clients: node mcp_official.mjs REVISION CRAWL URL [OPTION...]
const [revision, crawl, url, ...options] = process.argv.slice(2);
const modern = revision === "2026-07-28";
const base = modern ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client";
const { Client } = await import(modern ? base : base + "/index.js");
const { StdioClientTransport } = await import(modern ? base + "/stdio" : base + "/stdio.js");

const client = new Client({ name: "test", version: "1" }, modern ? { versionNegotiation: { mode: { pin: revision } } } : {});
const transport = new StdioClientTransport({ command: crawl, args: ["mcp", ...options], env: process.env, stderr: "inherit" });
await client.connect(transport);
const told = { server: client.getServerVersion().name, tools: (await client.listTools()).tools.map((tool) => tool.name) };

const call = async (name, args, more) => {
    const params = { name, arguments: args };
    const result = await (modern ? client.callTool(params, more) : client.callTool(params, undefined, more));
    const facts = result.content[0].text;
    return { facts: facts.startsWith("{") ? JSON.parse(facts) : facts, text: result.content[1]?.text, isError: result.isError };
};
told.fetch = await call("fetch", { url });
told.refused = await call("fetch", { url: "file:///etc/passwd" });
told.progress = 0;
told.crawl = await call("crawl", { urls: [url], depth: 2 }, { onprogress: () => told.progress++ });
told.list = await call("list", { handle: told.crawl.facts.handle });
told.robots = await call("robots", { url });
told.explain = await call("explain", { handle: told.crawl.facts.handle, url });
told.report = await call("report", { handle: told.crawl.facts.handle });
const abort = new AbortController();
const cancelled = call("crawl", { urls: [url], depth: 2 }, { signal: abort.signal }).then(() => "answered", () => "cancelled");
setTimeout(() => abort.abort(), 200);
told.cancelled = await cancelled;
told.after = await call("list", {});
try {
    await client.callTool({ name: "shell", arguments: {} });
} catch (error) {
    told.unknown = error.code;
}
await client.close();
console.log(JSON.stringify(told));
