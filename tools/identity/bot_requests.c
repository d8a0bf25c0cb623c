#include "tools/identity/bot_requests.h"

#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/bloom.h>
#include <inttypes.h>

enum { LINE_MAX_BYTES = 1 << 20, CAPACITY = 100000 };

enum { TIME, METHOD, URL, AGENT, INPUT, SIGNATURE, DIGEST, MEMBERS };

static const crawl_slice requests_members[MEMBERS] = {
    [TIME] = CW_JSON_NAME("time"),
    [METHOD] = CW_JSON_NAME("method"),
    [URL] = CW_JSON_NAME("url"),
    [AGENT] = CW_JSON_NAME("signature_agent"),
    [INPUT] = CW_JSON_NAME("signature_input"),
    [SIGNATURE] = CW_JSON_NAME("signature"),
    [DIGEST] = CW_JSON_NAME("content_digest"),
};

typedef struct requests_run {
    const crawl_keys *keys;
    crawl_bloom *signatures; /* those seen so far; each has a nonce */
    crawl_buf decoded;
    uint64_t verified, other, invalid, again, unsigned_ones;
} requests_run;

static int requests_fault(unsigned long number, const char *what, const char *why)
{
    printf("line %lu: %s%s%s\n", number, what, *why ? ": " : "", why);
    return CW_EXIT_NOTHING;
}

/* Takes a request with a valid signature, which must not have come before. */
static int requests_take_verified(requests_run *run, crawl_slice signature, unsigned long number)
{
    crawl_err err = crawl_bloom_add(run->signatures, signature.data, signature.size, NULL);
    if (err && err != CRAWL_EXISTS) {
        cw_tool_say("identity", "%s", crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
    run->again += err != CRAWL_OK;
    run->verified += err == CRAWL_OK;
    return err ? requests_fault(number, "a signature that came before", "somebody has copied it, or sent it again")
               : CW_EXIT_OK;
}

static int requests_judge(requests_run *run, const crawl_slice texts[MEMBERS], double time_s, unsigned long number)
{
    const crawl_header headers[] = {
        {.name = crawl_slice_from("Signature-Agent"), .value = texts[AGENT]},
        {.name = crawl_slice_from("Signature-Input"), .value = texts[INPUT]},
        {.name = crawl_slice_from("Signature"), .value = texts[SIGNATURE]},
        {.name = crawl_slice_from("Content-Digest"), .value = texts[DIGEST]},
    };
    crawl_header present[4];
    crawl_message message = {.size = sizeof message, .method = texts[METHOD], .url = texts[URL], .headers = present};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (headers[i].value.size)
            present[message.header_count++] = headers[i];
    crawl_verification found = {.why = ""};
    crawl_err err = crawl_verify(&message, run->keys, (int64_t)time_s, &found);
    if (err == CRAWL_ENOMEM) {
        cw_tool_say("identity", "%s", crawl_strerror(err));
        return CW_EXIT_LOCAL;
    }
    if (!err && found.verdict == CRAWL_VERIFIED)
        return requests_take_verified(run, texts[SIGNATURE], number);
    if (!err && found.verdict == CRAWL_UNVERIFIED) {
        run->other++;
        return requests_fault(number, "signed by none of these keys", found.why);
    }
    run->invalid++;
    return requests_fault(number, "a wrong signature", err ? crawl_strerror(err) : found.why);
}

static int requests_on_line(void *user, crawl_slice line, unsigned long number, FILE *)
{
    requests_run *run = user;
    cw_json_value values[MEMBERS];
    crawl_slice texts[MEMBERS] = {{0}};
    crawl_buf_clear(&run->decoded);
    cw_tool_memory_must(crawl_buf_reserve(&run->decoded, line.size));
    bool is_read = cw_utf8_valid_prefix(line) == line.size && cw_json_pick(line, requests_members, MEMBERS, values);
    for (int i = 0; is_read && i < MEMBERS; i++)
        texts[i] = cw_json_decoded(&values[i], &run->decoded);
    if (!is_read || values[TIME].kind != CW_JSON_NUMBER || !texts[URL].size)
        return requests_fault(number, "not a JSON object with a number \"time\" and a \"url\"", "");
    if (!texts[SIGNATURE].size && !texts[INPUT].size) {
        run->unsigned_ones++;
        return CW_EXIT_OK;
    }
    return requests_judge(run, texts, cw_json_number(&values[TIME]), number);
}

int cw_bot_requests(const char *path, const crawl_keys *keys)
{
    requests_run run = {.keys = keys};
    crawl_bloom_options options;
    crawl_error error = {0};
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_EXACT;
    options.capacity = CAPACITY;
    crawl_err err = crawl_bloom_create(&options, &run.signatures, &error);
    if (err) {
        cw_tool_say("identity", "%s", error.message);
        return CW_EXIT_LOCAL;
    }
    const cw_tool_input input = {
        .tool = "identity", .path = path, .longest = LINE_MAX_BYTES, .line = requests_on_line, .user = &run};
    int status = cw_tool_lines(&input, stdout);
    printf("%" PRIu64 " requests verified, %" PRIu64 " signed by others, %" PRIu64 " with a wrong signature, %" PRIu64
           " with one that came before, %" PRIu64 " without\n",
           run.verified, run.other, run.invalid, run.again, run.unsigned_ones);
    crawl_bloom_free(run.signatures);
    crawl_buf_free(&run.decoded);
    return status;
}
