// Uses a server by reflection alone, as grpcurl does: prints each service with its calls, one per line, and puts and gets a
// URL with messages made from the server's descriptions. Usage: node reflection_client.cjs ADDRESS
"use strict";
const assert = require("node:assert/strict");
const grpc = require("@grpc/grpc-js");
const {GrpcReflection} = require("grpc-js-reflection-client");

const [address] = process.argv.slice(2);
const clear = grpc.credentials.createInsecure();

async function tell(told) {
    for (const service of await told.listServices()) {
        const methods = await told.listMethods(service);
        console.log([service, ...methods.map(method => method.name).sort()].join(" "));
    }
}

async function call(told) {
    const described = await told.getDescriptorBySymbol("urlfrontier.URLFrontier");
    const {urlfrontier} = described.getPackageObject({keepCase: true, longs: Number, enums: String, defaults: true});
    const client = new urlfrontier.URLFrontier(address, clear);
    const all = async stream => {
        const answers = [];
        for await (const answer of stream)
            answers.push(answer);
        return answers;
    };
    const put = client.PutURLs();
    put.end({discovered: {info: {url: "http://a.com/1"}}, ID: "mine"});
    assert.deepEqual((await all(put)).map(ack => [ack.ID, ack.status]), [["mine", "OK"]]);
    assert.deepEqual((await all(client.GetURLs({}))).map(info => info.url), ["http://a.com/1"]);
    client.close();
}

(async () => {
    const told = new GrpcReflection(address, clear);
    await tell(told);
    await call(told);
})();
