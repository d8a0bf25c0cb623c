/* `crawl upload`: uploads files to a bucket of S3 or of a compatible server. */
#include "base/bytes.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/upload/upload_file.h"
#include "tools/upload/upload_keys.h"

#include <crawl/base.h>
#include <curl/curl.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char tool[] = "upload";

typedef struct upload_job {
    const char *endpoint, *region, *credentials, *ca_file, *tries;
    bool stamp, deletes;
    crawl_buf address, own_bucket; /* endpoint without a trailing slash; bucket of s3://... */
    const char *prefix;            /* of the keys; "": none */
    cw_upload_keys keys;
    cw_s3_client *client;
} upload_job;

/* --- the command line --- */

static const char *tool_upload_either(const char *given, const char *first, const char *second, const char *fallback)
{
    const char *value = given ? given : getenv(first);
    if (!value || !*value)
        value = getenv(second);
    return value && *value ? value : fallback;
}

/* Accepts only names that every server accepts and that need no encoding in a URL. */
static bool tool_upload_is_bucket(crawl_slice name)
{
    enum { LEAST = 3, MOST = 63 };
    for (size_t i = 0; i < name.size; i++)
        if (!cw_is_alnum((unsigned char)name.data[i]) && !memchr("-_.", name.data[i], 3))
            return false;
    return name.size >= LEAST && name.size <= MOST && name.data[0] != '.';
}

/* Splits s3://BUCKET/PREFIX. Returns what is wrong; NULL: nothing. */
static const char *tool_upload_take_target(upload_job *job, const char *target)
{
    crawl_slice rest = crawl_slice_from(target);
    if (!cw_take_text(&rest, "s3://"))
        return "the first argument must be s3://BUCKET/PREFIX";
    crawl_slice bucket = cw_cut(&rest, '/');
    if (!tool_upload_is_bucket(bucket))
        return "a bucket name has 3 to 63 letters, digits, '-', '_' and '.'";
    job->prefix = rest.size ? rest.data : "";
    return crawl_buf_append(&job->own_bucket, bucket.data, bucket.size) ? crawl_strerror(CRAWL_ENOMEM) : NULL;
}

static const char *tool_upload_take_endpoint(upload_job *job)
{
    const char *given = tool_upload_either(job->endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "");
    job->region = tool_upload_either(job->region, "AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
    for (const char *c = job->region; *c; c++)
        if (!cw_is_alnum((unsigned char)*c) && *c != '-')
            return "--region must consist of letters, digits and '-'";
    if (!*given)
        return crawl_buf_printf(&job->address, "https://s3.%s.amazonaws.com", job->region)
                   ? crawl_strerror(CRAWL_ENOMEM)
                   : NULL;
    crawl_slice rest = crawl_slice_from(given);
    bool is_http = cw_take_text(&rest, "http://") || cw_take_text(&rest, "https://");
    rest.size -= rest.size && rest.data[rest.size - 1] == '/';
    if (!is_http || !rest.size || cw_find_any(rest, "/?#@ ") < rest.size)
        return "--endpoint must be http://HOST:PORT or https://HOST, with nothing after it";
    size_t size = (size_t)(rest.data + rest.size - given);
    return crawl_buf_append(&job->address, given, size) ? crawl_strerror(CRAWL_ENOMEM) : NULL;
}

static const char *tool_upload_wrong(upload_job *job, int count, char **words)
{
    if (!count)
        return "expected s3://BUCKET/PREFIX";
    if (job->tries && (cw_count_digits(crawl_slice_from(job->tries)) != strlen(job->tries) || strlen(job->tries) > 2 ||
                       atoi(job->tries) < 1))
        return "--tries must be 1 to 99";
    const char *wrong = tool_upload_take_target(job, words[0]);
    return wrong ? wrong : tool_upload_take_endpoint(job);
}

/* --- files --- */

/* Makes the key of the object. With --stamp the time goes before the first dot, so that the suffix still tells the
 * type. */
static crawl_err tool_upload_key(const upload_job *job, const char *path, crawl_buf *key)
{
    char time_of[20] = "";
    struct stat found;
    struct tm parts;
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (job->stamp && stat(path, &found) == 0 && gmtime_r(&found.st_mtime, &parts))
        strftime(time_of, sizeof time_of, "-%Y%m%d%H%M%S", &parts);
    size_t prefix = strlen(job->prefix), stem = *name ? 1 + strcspn(name + 1, ".") : 0;
    return crawl_buf_printf(key, "%s%s%.*s%s%s", job->prefix, prefix && job->prefix[prefix - 1] != '/' ? "/" : "",
                            (int)stem, name, time_of, name + stem);
}

static void tool_upload_say_sent(const upload_job *job, const char *how, uint64_t size, const char *key)
{
    printf("%s\t%" PRIu64 "\ts3://%s/", how, size, job->own_bucket.data);
    cw_tool_escape_print(crawl_slice_from(key), stdout);
    putchar('\n');
    fflush(stdout);
}

static cw_upload_outcome tool_upload_one(const upload_job *job, const char *path)
{
    cw_upload_result result = {.words = "out of memory"};
    crawl_buf key = {0};
    cw_upload_outcome outcome = CW_UPLOAD_LOCAL;
    if (!tool_upload_key(job, path, &key))
        outcome = cw_upload_file(job->client, path, key.data, &result);
    bool is_there = outcome == CW_UPLOAD_SENT || outcome == CW_UPLOAD_KNOWN;
    if (is_there)
        tool_upload_say_sent(job, outcome == CW_UPLOAD_SENT ? "sent" : "known", result.size, key.data);
    else
        cw_tool_say(tool, "%s: %s", path, result.words);
    if (is_there && job->deletes && unlink(path)) {
        cw_tool_say(tool, "%s: uploaded, but cannot be removed here: %s", path, strerror(errno));
        outcome = CW_UPLOAD_LOCAL;
    }
    crawl_buf_free(&key);
    return outcome;
}

/* Uploads files until the bucket fails. Returns the exit status. */
static int tool_upload_all(const upload_job *job, int count, char **paths)
{
    int status = CW_EXIT_OK;
    for (int i = 0; i < count; i++) {
        cw_upload_outcome outcome = tool_upload_one(job, paths[i]);
        if (outcome == CW_UPLOAD_LOCAL)
            status = CW_EXIT_LOCAL;
        else if (outcome >= CW_UPLOAD_REFUSED && !status)
            status = CW_EXIT_NOTHING;
        if (outcome == CW_UPLOAD_FAILED && i + 1 < count)
            cw_tool_say(tool, "%d more file%s not tried", count - i - 1, count - i - 1 == 1 ? " was" : "s were");
        if (outcome == CW_UPLOAD_FAILED)
            break;
    }
    return status;
}

/* Checks that the bucket exists. An account that may not list uploads may still be allowed to upload. Returns the exit
 * status. */
static int tool_upload_check(const upload_job *job)
{
    cw_s3_answer answer;
    cw_s3_ask(job->client, &(cw_s3_call){.method = "GET", .query = "max-uploads=1&uploads="}, &answer);
    static const char *const unclear[] = {"AccessDenied", "NotImplemented", "MethodNotAllowed"};
    if (answer.is_good || cw_is_among(crawl_slice_from(answer.code), unclear, sizeof unclear / sizeof *unclear))
        return CW_EXIT_OK;
    cw_tool_say(tool, "%s: %s", job->own_bucket.data, answer.words);
    return answer.has_no_memory ? CW_EXIT_LOCAL : CW_EXIT_NOTHING;
}

static int tool_upload_begin(upload_job *job, int count, char **paths)
{
    crawl_error error = {0};
    cw_tool_secret_warn(job->credentials, "the keys of an account");
    crawl_err err = cw_upload_keys_find(job->credentials, getenv("AWS_PROFILE"), &job->keys, &error);
    const cw_s3_options options = {.endpoint = job->address.data,
                                   .region = job->region,
                                   .bucket = job->own_bucket.data,
                                   .keys = {job->keys.id, job->keys.secret, job->keys.token},
                                   .ca_file = job->ca_file,
                                   .tries = job->tries ? (unsigned)atoi(job->tries) : 8};
    if (!err && cw_s3_client_create(&options, &job->client))
        err = crawl_error_set(&error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    int status = cw_tool_status(err);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    else
        status = count ? tool_upload_all(job, count, paths) : tool_upload_check(job);
    cw_s3_client_free(job->client);
    cw_upload_keys_free(&job->keys);
    return status;
}

static int tool_upload_main(int argc, char **argv)
{
    upload_job job = {0};
    const cw_tool_option known[] = {
        {"endpoint", .text = &job.endpoint},
        {"region", .text = &job.region},
        {"credentials-file", .text = &job.credentials},
        {"ca-file", .text = &job.ca_file},
        {"stamp", .flag = &job.stamp},
        {"delete", .flag = &job.deletes},
        {"tries", .text = &job.tries},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .help = cw_tool_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = tool_upload_wrong(&job, argc - optind, argv + optind);
    if (wrong) {
        status = cw_tool_refuse(&syntax, wrong);
    } else if (curl_global_init(CURL_GLOBAL_DEFAULT) || !OSSL_LIB_CTX_get0_global_default()) { /* out of memory */
        cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
        status = CW_EXIT_LOCAL;
    } else {
        status = tool_upload_begin(&job, argc - optind - 1, argv + optind + 1);
        curl_global_cleanup();
    }
    crawl_buf_free(&job.address);
    crawl_buf_free(&job.own_bucket);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, tool_upload_main);
}
