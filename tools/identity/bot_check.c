#include "tools/identity/bot_check.h"

#include "base/bytes.h"
#include "base/date.h"
#include "tools/common/refused_memory.h"
#include "tools/common/status.h"

#include <stdio.h>

static unsigned fault(const char *where, const char *words)
{
    printf("  fault   %s%s%s\n", where, *where ? ": " : "", words);
    return 1;
}

/* Checks the fields of a key. Returns the number of faults. */
static unsigned judge_info(const crawl_key_info *info, int64_t now_s)
{
    unsigned faults = 0;
    if (info->has_private)
        faults += fault(info->thumbprint, "its private half (\"d\") is published: anybody can sign by it");
    if (info->has_kid && !info->kid_fits)
        faults += fault(info->thumbprint, "\"kid\" is not its thumbprint");
    if (info->expires_s && info->expires_s < now_s)
        faults += fault(info->thumbprint, "has expired (\"exp\")");
    if (info->not_before_s > now_s)
        faults += fault(info->thumbprint, "is not valid yet (\"nbf\")");
    return faults;
}

/* Prints the key, and verifies its signature of the answer. Returns the number of faults. */
static unsigned judge_key(const cw_bot_directory *directory, const crawl_keys *keys, size_t index, int64_t now_s)
{
    crawl_key_info info;
    crawl_verification found = {.why = ""};
    const crawl_message answer = {.size = sizeof answer,
                                  .url = directory->url,
                                  .headers = directory->headers,
                                  .header_count = directory->header_count,
                                  .body = directory->body,
                                  .is_answer = true};
    crawl_keys_get(keys, index, &info);
    printf("  key     %s  %s", info.thumbprint, info.is_ed25519 ? "Ed25519" : "RSA");
    if (!directory->url.size) {
        printf("\n");
        return judge_info(&info, now_s);
    }
    crawl_err err = cw_tool_memory_must(crawl_directory_verify(&answer, keys, index, now_s, &found));
    bool is_signed = !err && found.verdict == CRAWL_VERIFIED;
    printf("%s%.10s\n", is_signed ? ", signs this directory until " : ", does not sign this directory",
           is_signed ? cw_date_of(found.expires_s * 1000).text : "");
    return judge_info(&info, now_s) + (is_signed ? 0 : fault(info.thumbprint, err ? crawl_strerror(err) : found.why));
}

static crawl_slice header_of(const cw_bot_directory *directory, const char *name)
{
    for (size_t i = 0; i < directory->header_count; i++)
        if (cw_is_nocase(directory->headers[i].name, name))
            return directory->headers[i].value;
    return (crawl_slice){0};
}

/* Checks the type, which must be right at the well-known path; elsewhere any JSON will do. */
static unsigned judge_type(const cw_bot_directory *directory)
{
    crawl_slice type = header_of(directory, "Content-Type");
    type = cw_trim(cw_take(&type, cw_find_char(type, ';')));
    if (!directory->is_answer || !cw_ends_with(directory->url, CRAWL_IDENTITY_WELL_KNOWN) ||
        cw_is_nocase(type, CRAWL_IDENTITY_MEDIA_TYPE))
        return 0;
    return fault("", "its Content-Type is not " CRAWL_IDENTITY_MEDIA_TYPE);
}

int cw_bot_check(const cw_bot_directory *directory, int64_t now_s)
{
    crawl_keys *keys;
    crawl_error error = {0};
    crawl_err err = cw_tool_memory_must(crawl_keys_parse(directory->body, &keys, &error));
    unsigned faults = judge_type(directory);
    if (err)
        faults += fault("", error.message);
    size_t count = err ? 0 : crawl_keys_count(keys);
    if (!err && !count)
        faults += fault("", "it has no key of Ed25519 or RSA");
    for (size_t i = 0; i < count; i++)
        faults += judge_key(directory, keys, i, now_s);
    if (!err)
        crawl_keys_free(keys);
    if (!faults)
        printf(directory->url.size ? "good: each key signs the directory\n"
                                   : "good, as far as the keys alone tell: their signatures are in the answer\n");
    return faults ? CW_EXIT_NOTHING : CW_EXIT_OK;
}
