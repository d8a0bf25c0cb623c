/* The canonical form of an http(s) URL, by which two URLs are recognized as the same page: unifies the differences that
 * the URL standard leaves in path and query. Also the entry to the other profiles. */
#include "parse/canonical/canonical.h"

#include "base/sized.h"
#include "base/text/percent.h"
#include "parse/url/url.h"

static const crawl_canonical_options defaults = {.size = sizeof defaults};

/* Decodes escapes of unreserved bytes, once; upper-cases others; escapes a "%" that begins none. */
static char *write_path(char *to, const char *from, const char *end)
{
    for (;;) {
        const char *escape = memchr(from, '%', (size_t)(end - from));
        size_t plain = (size_t)((escape ? escape : end) - from);
        memcpy(to, from, plain);
        to += plain;
        if (!escape)
            return to;
        int value = cw_percent_value(escape, end);
        from = escape + (value < 0 ? 1 : 3);
        unsigned char byte = value < 0 ? '%' : (unsigned char)value;
        if (cw_percent_sets[byte] & CW_UNRESERVED)
            *to++ = (char)byte;
        else
            to = cw_percent_escape(to, byte);
    }
}

/* Appends the serialization up to the path, and the path; the parser has done everything else. */
static crawl_err canonical_append_path(const crawl_url *url, const crawl_drop_params *drop, crawl_buf *out)
{
    crawl_slice path = crawl_url_path(url);
    crawl_err err = crawl_buf_reserve(out, url->parts.authority_end + 3 * path.size);
    if (err)
        return err;
    char *start = out->data + out->size + url->parts.authority_end;
    memcpy(out->data + out->size, url->text.data, url->parts.authority_end);
    size_t size = (size_t)(write_path(start, path.data, path.data + path.size) - start);
    if (drop && cw_canonical_drops_sessions(drop))
        size = cw_canonical_strip_sessions(start, size);
    start[size] = '\0';
    out->size = (size_t)(start + size - out->data);
    return CRAWL_OK;
}

static crawl_err canonical(const crawl_url *url, const crawl_drop_params *drop, bool unsorted, crawl_buf *out)
{
    if (!crawl_url_is_http(url))
        return CRAWL_EINVAL;
    size_t start = out->size;
    const cw_canonical_rules rules = {.drop = drop, .unsorted = unsorted};
    crawl_err err = canonical_append_path(url, drop, out);
    if (!err && url->parts.query.size)
        err = cw_canonical_query(crawl_url_query(url), &rules, out);
    if (err)
        out->size = start;
    return err;
}

crawl_err crawl_url_canonical(const crawl_url *url, crawl_buf *out)
{
    return canonical(url, NULL, false, out);
}

crawl_err crawl_url_canonical_by(const crawl_url *url, const crawl_canonical_options *options, crawl_buf *out)
{
    crawl_canonical_options own;
    options = cw_sized(&own, sizeof own, options);
    if (!options)
        return CRAWL_EINVAL;
    if (options->profile == CRAWL_PROFILE_DEFAULT)
        return canonical(url, options->drop, false, out);
    return crawl_url_is_http(url) ? crawl_text_canonical(crawl_url_href(url), options, out) : CRAWL_EINVAL;
}

static crawl_err default_of_text(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? crawl_url_parse(url, text, NULL, options->charset) : CRAWL_ENOMEM;
    if (!err)
        err = canonical(url, options->drop, false, out);
    crawl_url_free(url);
    return err;
}

crawl_err crawl_text_canonical(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out)
{
    crawl_canonical_options own;
    options = cw_sized(&own, sizeof own, options);
    if (!options)
        return CRAWL_EINVAL;
    size_t start = out->size;
    if (!text.size)
        text = crawl_slice_from("");
    crawl_err err = text.size > CRAWL_URL_MAX_INPUT ? CRAWL_EPARSE : CRAWL_OK;
    if (!err && options->profile == CRAWL_PROFILE_W3LIB)
        err = cw_canonical_w3lib(text, options, out);
    else if (!err && options->profile == CRAWL_PROFILE_SURT)
        err = cw_canonical_surt(text, out);
    else if (!err)
        err = default_of_text(text, options, out);
    if (err)
        out->size = start;
    if (out->data)
        out->data[out->size] = '\0';
    return err;
}

/* The state of a walk over the steps. */
typedef struct steps_walk {
    crawl_buf text; /* after the last step reported */
    crawl_buf next;
    crawl_canonical_step step;
    void *user;
} steps_walk;

/* Reports a step whose result is in next, if it changed the text. */
static crawl_err canonical_tell(steps_walk *w, const char *what)
{
    if (crawl_slice_equal(crawl_buf_slice(&w->text), crawl_buf_slice(&w->next)))
        return CRAWL_OK;
    crawl_buf before = w->text;
    w->text = w->next;
    w->next = before;
    return w->step(w->user, what, crawl_buf_slice(&w->text));
}

static crawl_err canonical_tell_text(steps_walk *w, const char *what, crawl_slice text)
{
    crawl_buf_clear(&w->next);
    crawl_err err = crawl_buf_append(&w->next, text.data, text.size);
    return err ? err : canonical_tell(w, what);
}

static crawl_err tell_canonical(steps_walk *w, const char *what, const crawl_url *url, const crawl_drop_params *drop,
                                bool unsorted)
{
    crawl_buf_clear(&w->next);
    crawl_err err = canonical(url, drop, unsorted, &w->next);
    return err ? err : canonical_tell(w, what);
}

static crawl_err walk_default(steps_walk *w, const crawl_url *url, const crawl_drop_params *drop)
{
    crawl_err err = crawl_url_is_http(url) ? CRAWL_OK : CRAWL_EINVAL;
    if (!err)
        err = canonical_tell_text(w, "fragment dropped", crawl_url_request(url));
    crawl_buf_clear(&w->next);
    if (!err)
        err = canonical_append_path(url, NULL, &w->next);
    if (!err && crawl_url_has_query(url))
        err = crawl_buf_printf(&w->next, "?%.*s", (int)crawl_url_query(url).size, crawl_url_query(url).data);
    if (!err)
        err = canonical_tell(w, "escapes of the path unified");
    if (!err)
        err = tell_canonical(w, "escapes of the query unified, empty pairs dropped", url, NULL, true);
    if (!err)
        err = tell_canonical(w, "parameters and session ids dropped", url, drop, true);
    return err ? err : tell_canonical(w, "query sorted", url, drop, false);
}

static crawl_err walk_steps(steps_walk *w, crawl_slice input, const crawl_url *base,
                            const crawl_canonical_options *options, crawl_url *url)
{
    crawl_err err = crawl_buf_append(&w->text, input.data, input.size);
    if (!err)
        err = crawl_url_parse(url, input, base, options->charset);
    if (!err)
        err = canonical_tell_text(w, base ? "resolved by the URL standard" : "parsed by the URL standard",
                                  crawl_url_href(url));
    if (!err && options->profile == CRAWL_PROFILE_DEFAULT)
        return walk_default(w, url, options->drop);
    crawl_buf_clear(&w->next);
    if (!err)
        err = crawl_url_canonical_by(url, options, &w->next);
    return err ? err
               : canonical_tell(w, options->profile == CRAWL_PROFILE_W3LIB ? "canonical form of w3lib"
                                                                           : "key of archives");
}

crawl_err crawl_canonical_steps(crawl_slice input, const crawl_url *base, const crawl_canonical_options *options,
                                crawl_canonical_step step, void *user)
{
    steps_walk w = {.step = step, .user = user};
    crawl_canonical_options own;
    options = cw_sized(&own, sizeof own, options ? options : &defaults);
    if (!options)
        return CRAWL_EINVAL;
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? walk_steps(&w, input, base, options, url) : CRAWL_ENOMEM;
    crawl_url_free(url);
    crawl_buf_free(&w.text);
    crawl_buf_free(&w.next);
    return err;
}
