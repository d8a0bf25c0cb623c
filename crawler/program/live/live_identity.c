#include "crawler/program/live/live_identity.h"

#include "base/date.h"
#include "base/json/json_write.h"
#include "config/config_values.h"
#include "crawler/program/bare_seeds.h"
#include "tools/common/refused_memory.h"

#include <crawl/url.h>
#include <unistd.h>

/* Options that the page shows elsewhere, or that its viewers do not need. */
static const char *const left_out[] = {"crawl.seeds", "state.directory", "state.shared", "live.listen"};

/* Parses a seed. A bare name is first asked by https. */
static crawl_err parse_seed(crawl_url *url, const char *text)
{
    crawl_buf whole = {0};
    bool is_bare = cw_program_bare_seeds_is(crawl_slice_from(text));
    crawl_err err = crawl_buf_printf(&whole, "%s%s", is_bare ? "https://" : "", text);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&whole), NULL, NULL);
    crawl_buf_free(&whole);
    return err;
}

/* Puts a seed without its user and password, which end at the first "@": an "@" within them is escaped. */
static crawl_err put_seed(cw_writer *out, crawl_url *url, const char *text)
{
    crawl_err err = parse_seed(url, text);
    if (err)
        return err;
    crawl_slice href = crawl_url_href(url);
    bool has_user = crawl_url_username(url).size || crawl_url_password(url).size;
    const char *at = has_user ? memchr(href.data, '@', href.size) : NULL;
    const char *host = at ? at + 1 : href.data;
    crawl_buf shown = {0};
    if (at)
        err = crawl_buf_printf(&shown, "%.*s://", (int)crawl_url_scheme(url).size, crawl_url_scheme(url).data);
    if (!err)
        err = crawl_buf_append(&shown, host, (size_t)(href.data + href.size - host));
    if (!err)
        cw_json_put_text(out, crawl_buf_slice(&shown));
    crawl_buf_free(&shown);
    return err;
}

/* Puts the seeds. Seeds that are not URLs were refused and reported when they were read. */
static void put_seeds(cw_writer *out, const cw_live_identity *identity)
{
    crawl_url *url = cw_tool_memory_granted(crawl_url_create());
    bool first = true;
    cw_put_text(out, ",\"seeds\":[");
    for (size_t i = 0; i < identity->seed_count && i < CW_LIVE_SEEDS; i++) {
        size_t before = cw_writer_size(out);
        cw_put_text(out, first ? "" : ",");
        crawl_err err = cw_tool_memory_must(put_seed(out, url, identity->seeds[i]));
        if (err)
            cw_writer_cut(out, before);
        first = first && err;
    }
    cw_put_char(out, ']');
    crawl_url_free(url);
}

static crawl_err live_identity_put_setting(void *user, const char *key, const char *value)
{
    cw_writer *out = user;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (strcmp(key, left_out[i]) == 0)
            return CRAWL_OK;
    bool first = out->out->data[out->out->size - 1] == '[';
    cw_json_text(out, first ? "{\"key\":" : ",{\"key\":", crawl_slice_from(key));
    cw_json_text(out, ",\"value\":", crawl_slice_from(value));
    cw_put_char(out, '}');
    return out->err;
}

crawl_err cw_live_identity_write(const cw_live_identity *identity, crawl_buf *out)
{
    const crawl_config *config = identity->config;
    cw_writer to = {.out = out};
    cw_json_words(&to, "{\"version\":", crawl_version());
    cw_json_words(&to, ",\"started\":", cw_date_of(identity->started_ms).text);
    cw_json_int(&to, ",\"process\":", getpid());
    cw_json_words(&to, ",\"state\":", config->state ? config->state : config->shared);
    cw_json_bool(&to, ",\"resumed\":", identity->resumed);
    cw_json_bool(&to, ",\"controls\":", identity->has_controls);
    cw_json_words(&to, ",\"seeds_file\":", config->program.seeds);
    cw_json_int(&to, ",\"seed_count\":", (int64_t)identity->seed_count);
    put_seeds(&to, identity);
    cw_put_text(&to, ",\"settings\":[");
    crawl_err err = crawl_config_changes(config, live_identity_put_setting, &to);
    cw_put_text(&to, "]}\n");
    return err ? err : to.err;
}
