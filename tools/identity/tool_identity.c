/* `crawl identity` makes the key with which a crawler signs its requests, and everything published about it, and checks
 * published files. This file has its words and options. */
#include "base/clock.h"
#include "base/files/file_read.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/identity/bot_check.h"
#include "tools/identity/bot_folder.h"
#include "tools/identity/bot_requests.h"

#include <crawl/fetch.h>
#include <crawl/robots.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tool[] = "identity";

/* How to ask a server for a directory of keys. */
typedef struct cw_bot_asking {
    const char *url;
    bool insecure;      /* do not verify certificates */
    bool allow_private; /* allow private addresses */
} cw_bot_asking;

typedef struct bot_answer {
    const char *url;
    int status; /* exit status */
} bot_answer;

static void bot_ask_done(void *user, const crawl_response *response)
{
    bot_answer *answer = user;
    answer->status = CW_EXIT_NOTHING;
    if (response->error)
        cw_tool_say(tool, "%s: %s", answer->url, response->error_text);
    else if (response->status != 200)
        cw_tool_say(tool, "%s: status %d, but verifiers need 200 (they follow no redirects)", answer->url,
                    response->status);
    else {
        const cw_bot_directory directory = {.url = crawl_slice_from(answer->url),
                                            .headers = response->headers,
                                            .header_count = response->header_count,
                                            .body = response->body,
                                            .is_answer = true};
        answer->status = cw_bot_check(&directory, cw_wall_ms() / 1000);
    }
}

static crawl_err bot_ask_run(struct event_base *base, const cw_bot_asking *asking, bot_answer *answer,
                             crawl_error *error)
{
    crawl_fetch_options options;
    crawl_fetcher *fetcher = NULL;
    crawl_fetch_options_init(&options, sizeof options);
    options.user_agent = "crawl-identity";
    options.accept = "*/*";
    options.insecure = asking->insecure;
    options.allow_private = asking->allow_private;
    options.max_body_bytes = CRAWL_KEYS_BYTES;
    crawl_err err = crawl_fetcher_create(base, &options, &fetcher, error);
    if (err)
        return err;
    const crawl_fetch_request request = {
        .size = sizeof request, .url = crawl_slice_from(asking->url), .on_done = bot_ask_done, .user = answer};
    err = crawl_fetch(fetcher, &request, NULL);
    if (err)
        crawl_error_set(error, err, "%s: %s", asking->url, crawl_strerror(err));
    while (!err && crawl_fetcher_running(fetcher))
        event_base_loop(base, EVLOOP_ONCE);
    crawl_fetcher_free(fetcher);
    event_base_loop(base, EVLOOP_NONBLOCK); /* frees the memory of names */
    return err;
}

/* Asks once, without following redirects, as verifiers do, and checks the answer (bot_check.h). Returns an exit
 * status. */
static int bot_ask(const cw_bot_asking *asking)
{
    bot_answer answer = {.url = asking->url, .status = CW_EXIT_NOTHING};
    crawl_error error = {0};
    struct event_base *base = event_base_new();
    crawl_err err = base ? bot_ask_run(base, asking, &answer, &error) : CRAWL_ENOMEM;
    if (base)
        event_base_free(base);
    if (err)
        cw_tool_say(tool, "%s", error.message[0] ? error.message : crawl_strerror(err));
    return err ? cw_tool_status(err) : answer.status;
}

typedef struct identity_job {
    const char *days;
    const char *requests; /* a server's log; NULL: none */
    bool renew;
    cw_bot_making making;
    cw_bot_asking asking;
} identity_job;

/* ---- new ---- */

static bool read_days(identity_job *job)
{
    enum { MOST = 3650 };
    char *end;
    job->making.days = job->days ? strtol(job->days, &end, 10) : 30;
    if (!job->days || (*job->days >= '1' && *job->days <= '9' && !*end && job->making.days <= MOST))
        return true;
    cw_tool_say(tool, "--days %s: expected a number from 1 to %d", job->days, MOST);
    return false;
}

static int make_new(identity_job *job)
{
    crawl_error error = {0};
    if (!crawl_robots_agent_valid(crawl_slice_from(job->making.name))) {
        cw_tool_say(tool, "--name %s: expected letters, - and _", job->making.name);
        return CW_EXIT_USAGE;
    }
    crawl_err err = job->renew ? cw_bot_renew(&job->making, &error) : cw_bot_make(&job->making, &error);
    if (err) {
        cw_tool_say(tool, "%s", error.message);
        return cw_tool_status(err);
    }
    printf("%s/directory.json and directory.headers: publish them%s\n", job->making.folder,
           job->renew ? " again" : ", then see `crawl identity check URL`");
    if (!job->renew)
        printf("%s/bot.html: check that all it says is true%s\n", job->making.folder,
               job->making.purpose && job->making.contact ? "" : ", and fill in what is marked");
    return CW_EXIT_OK;
}

static int run_new(const cw_tool_syntax *syntax, identity_job *job, int count, char **words)
{
    if (count != 1)
        return cw_tool_refuse(syntax, "new: one FOLDER is needed");
    bool describes = job->making.purpose || job->making.contact || job->making.ranges || job->making.renders;
    if (job->renew && describes)
        return cw_tool_refuse(syntax, "new --renew writes only the directory: edit bot.html and card.json");
    if (!job->renew == !job->making.url)
        return cw_tool_refuse(syntax, "new: either --url or --renew is needed");
    job->making.folder = words[0];
    return read_days(job) ? make_new(job) : CW_EXIT_USAGE;
}

/* ---- check ---- */

static int identity_check_file(const char *path)
{
    crawl_buf body = {0};
    crawl_err err = cw_tool_read(tool, path, CRAWL_KEYS_BYTES, &body);
    if (err && err != CRAWL_FULL)
        return CW_EXIT_LOCAL;
    const cw_bot_directory directory = {.body = crawl_buf_slice(&body)};
    int status = cw_bot_check(&directory, cw_wall_ms() / 1000);
    crawl_buf_free(&body);
    return status;
}

/* path: the file of a directory, or a folder made by new. */
static int identity_check_requests(const char *log, const char *path, bool is_folder)
{
    crawl_buf file = {0}, body = {0};
    crawl_error error = {0};
    crawl_keys *keys = NULL;
    crawl_err err = crawl_buf_printf(&file, is_folder ? "%s/directory.json" : "%s", path);
    if (!err && cw_tool_read(tool, file.data, CRAWL_KEYS_BYTES, &body)) {
        crawl_buf_free(&file);
        return CW_EXIT_LOCAL;
    }
    if (!err)
        err = crawl_keys_parse(crawl_buf_slice(&body), &keys, &error);
    if (err)
        cw_tool_say(tool, "%s: %s", file.data ? file.data : path, error.code ? error.message : crawl_strerror(err));
    int status = err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : err ? CW_EXIT_NOTHING : cw_bot_requests(log, keys);
    crawl_keys_free(keys);
    crawl_buf_free(&file);
    crawl_buf_free(&body);
    return status;
}

static int run_check(const cw_tool_syntax *syntax, identity_job *job, int count, char **words)
{
    struct stat facts;
    if (count != 1)
        return cw_tool_refuse(syntax, "check: one FILE, FOLDER or URL is needed");
    job->asking.url = words[0];
    bool is_url = cw_tool_is_url(crawl_slice_from(words[0]));
    if (is_url && job->requests)
        return cw_tool_refuse(syntax, "check --requests: keep the directory in a FILE first");
    if (is_url)
        return bot_ask(&job->asking);
    bool is_folder = stat(words[0], &facts) == 0 && S_ISDIR(facts.st_mode);
    if (job->requests)
        return identity_check_requests(job->requests, words[0], is_folder);
    return is_folder ? cw_bot_check_folder(words[0]) : identity_check_file(words[0]);
}

/* ---- thumbprint ---- */

static int run_thumbprint(const cw_tool_syntax *syntax, identity_job *, int count, char **words)
{
    crawl_buf text = {0}, print = {0};
    crawl_error error = {0};
    crawl_identity *identity = NULL;
    if (count != 1)
        return cw_tool_refuse(syntax, "thumbprint: one FILE is needed");
    crawl_err err = cw_tool_read(tool, words[0], CRAWL_KEYS_BYTES, &text);
    if (err && err != CRAWL_FULL)
        return CW_EXIT_LOCAL;
    err = crawl_jwk_thumbprint(crawl_buf_slice(&text), &print, NULL);
    if (err == CRAWL_EPARSE) {
        err = crawl_identity_parse(crawl_buf_slice(&text), &identity, &error);
        err = err ? err : crawl_buf_append_text(&print, crawl_identity_thumbprint(identity));
    }
    if (err)
        cw_tool_say(tool, "%s: %s", words[0], error.message[0] ? error.message : crawl_strerror(err));
    else
        printf("%s\n", print.data);
    crawl_identity_free(identity);
    cw_secret_free_buf(&text);
    crawl_buf_free(&print);
    return err == CRAWL_EPARSE ? CW_EXIT_NOTHING : cw_tool_status(err);
}

/* ---- words ---- */

static bool take_also(void *user, const char *, const char *value)
{
    identity_job *job = user;
    if (job->making.also_count < CW_BOT_MAX_ALSO) {
        job->making.also[job->making.also_count++] = value;
        return true;
    }
    cw_tool_say(tool, "--also: %d keys at most", CW_BOT_MAX_ALSO);
    return false;
}

static int identity_main(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*run)(const cw_tool_syntax *syntax, identity_job *job, int count, char **words);
    } words[] = {{"new", run_new}, {"check", run_check}, {"thumbprint", run_thumbprint}};
    identity_job job = {.making.name = "mybot"};
    const cw_tool_option known[] = {
        {"url", .text = &job.making.url},
        {"name", .text = &job.making.name},
        {"purpose", .text = &job.making.purpose},
        {"contact", .text = &job.making.contact},
        {"ranges", .text = &job.making.ranges},
        {"renders", .flag = &job.making.renders},
        {"days", .text = &job.days},
        {"requests", .text = &job.requests},
        {"also", .takes_value = true, .take = take_also},
        {"renew", .flag = &job.renew},
        {"insecure", .flag = &job.asking.insecure},
        {"allow-private", .flag = &job.asking.allow_private},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = tool, .options = known, .user = &job, .help = cw_tool_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    for (size_t i = 0; i < sizeof words / sizeof *words && optind < argc; i++)
        if (strcmp(argv[optind], words[i].word) == 0)
            return words[i].run(&syntax, &job, argc - optind - 1, argv + optind + 1);
    return cw_tool_refuse(&syntax, "expected new, check or thumbprint");
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, identity_main);
}
