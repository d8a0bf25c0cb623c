/* See trial_fetch.h. A crawl of one page, by an engine of its own. */
#include "crawler/program/commands/extract/trial_fetch.h"

#include "base/bytes.h"
#include "base/error.h"

#include <crawl/engine.h>
#include <time.h>

/* A crawl of that page alone, of which nothing is written; what it points to is borrowed. */
static crawl_config config_of_page(const crawl_config *config)
{
    crawl_config own = *config;
    own.output = own.links = own.requests = own.fields = own.bodies = own.mirror = own.warc = NULL;
    own.report = own.sitemap = own.log = own.listen = own.cookies_save = own.state = own.shared = NULL;
    own.depth = 0;
    own.scope = CRAWL_SCOPE_ANY;
    own.rules = NULL;
    own.rule_count = 0;
    own.max_pages = own.max_pages_per_host = own.max_pages_per_domain = 0;
    own.sitemaps = own.llms_txt = own.find_feeds = own.soft_404 = false;
    own.requisites = own.check_external = own.check_fragments = own.wait = false;
    own.revisit = CRAWL_REVISIT_OFF;
    own.extracts = NULL;
    own.extract_count = 0;
    own.workers = 1;
    own.retries = 0; /* somebody waits for the answer */
    return own;
}

/* --- the page --- */

static crawl_err trial_fetch_put_text(crawl_buf *out, crawl_slice text)
{
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, text.data, text.size);
    return err ? err : crawl_buf_append_char(out, '\0');
}

static crawl_err put_reason(cw_trial_page *page, const crawl_record *record)
{
    const char *text = record->error_text && *record->error_text ? record->error_text : record->error;
    crawl_buf_clear(&page->reason);
    crawl_err err = record->error ? crawl_buf_printf(&page->reason, "%s", text)
                                  : crawl_buf_printf(&page->reason, "the answer has status %d", record->status);
    return err ? err : crawl_buf_append_char(&page->reason, '\0');
}

/* A redirect has a record of its own before that of the page it leads to. */
static crawl_err trial_fetch_take(void *user, const crawl_record *record)
{
    cw_trial_page *page = user;
    crawl_err err = trial_fetch_put_text(&page->url, record->url);
    if (!err)
        err = put_reason(page, record);
    page->is_there = !record->error && record->status >= 200 && record->status < 300;
    page->charset = crawl_charset_of_content_type(record->content_type_header);
    crawl_buf_clear(&page->body);
    return err ? err : crawl_buf_append(&page->body, record->body.data, record->body.size);
}

static crawl_err trial_fetch_run(const crawl_config *config, const char *url, cw_trial_page *page, crawl_error *error)
{
    const crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = trial_fetch_take, .user = page};
    const crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    crawl_engine *engine = NULL;
    crawl_err err = crawl_engine_create(config, &hooks, &engine, error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, error);
    if (!err)
        err = crawl_engine_run(engine, error);
    crawl_engine_free(engine);
    return err;
}

/* Of a host the engine of the page before knows, and this one does not, when it was asked. */
static void pause_before(const crawl_config *config, cw_trial_page *page)
{
    const int64_t second = 1000, nanoseconds = 1000000;
    struct timespec pause = {.tv_sec = config->delay_ms / second, .tv_nsec = config->delay_ms % second * nanoseconds};
    if (page->was_asked)
        (void)nanosleep(&pause, NULL);
    page->was_asked = true;
}

crawl_err cw_trial_fetch(const crawl_config *config, const char *url, cw_trial_page *page, crawl_error *error)
{
    const crawl_config own = config_of_page(config);
    page->is_there = false;
    pause_before(config, page);
    crawl_err err = trial_fetch_put_text(&page->reason, crawl_slice_from("no answer"));
    return err ? cw_error(error, err) : trial_fetch_run(&own, url, page, error);
}

void cw_trial_free(cw_trial_page *page)
{
    crawl_buf_free(&page->url);
    crawl_buf_free(&page->body);
    crawl_buf_free(&page->reason);
}
