/* See rendering.h. The page and its parts go one way, through cw_polite; the browser makes no requests itself. */
#include "crawler/program/commands/render/rendering.h"

#include "config/config_values.h"
#include "crawler/program/commands/render/polite.h"
#include "tools/common/io.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/text.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>

static const char tool[] = "render";

typedef struct rendering_run {
    const cw_rendering *rendering;
    struct event_base *base;
    cw_polite *polite;
    crawl_renderer *renderer;
    crawl_url *url, *next;
    crawl_buf page_url; /* of the page, after redirects, with its fragment */
    crawl_buf file;
    uint32_t redirects;
    int status;
    bool has_ended;
} rendering_run;

static void rendering_ask(rendering_run *run);

static void rendering_end(rendering_run *run, int status)
{
    run->status = status;
    run->has_ended = true;
    event_base_loopbreak(run->base);
}

/* --- parts --- */

/* A part under way. */
typedef struct rendering_part {
    rendering_run *run;
    uint64_t id;
    crawl_buf line; /* of --verbose: the request */
} rendering_part;

static void rendering_say(const rendering_run *run, const char *fate, const crawl_buf *line)
{
    if (run->rendering->verbose)
        cw_tool_say(tool, "%-12s %s", fate, line->data ? line->data : "");
}

static void rendering_part_done(void *user, const cw_polite_answer *answer)
{
    rendering_part *part = user;
    rendering_run *run = part->run;
    const crawl_response *got = answer->response;
    char fate[32];
    if (run->has_ended) {
        crawl_buf_free(&part->line);
        free(part);
        return;
    }
    if (got && !got->error) {
        const crawl_render_response response = crawl_render_response_of(got);
        snprintf(fate, sizeof fate, "%d", got->status);
        crawl_err err = crawl_render_answer(run->renderer, part->id, &response);
        if (err == CRAWL_FULL)
            snprintf(fate, sizeof fate, "too large");
        else if (err == CRAWL_EINVAL)
            crawl_render_refuse(run->renderer, part->id, CRAWL_RENDER_REFUSE_CLOSED);
    } else {
        snprintf(fate, sizeof fate, "%s", got ? crawl_fetch_error_name(got->error) : answer->refused);
        crawl_render_refuse(run->renderer, part->id,
                            got ? crawl_render_refusal_of(got->error) : CRAWL_RENDER_REFUSE_BLOCKED);
    }
    rendering_say(run, fate, &part->line);
    crawl_buf_free(&part->line);
    free(part);
}

static void rendering_on_part(void *user, const crawl_render_part *told)
{
    rendering_run *run = user;
    crawl_buf line = {0};
    cw_tool_memory_must(crawl_buf_printf(&line, "%s %.*s %.*s", told->kind, (int)told->method.size, told->method.data,
                                         (int)told->url.size, told->url.data));
    if (told->fate) {
        rendering_say(run, told->fate, &line);
        crawl_buf_free(&line);
        return;
    }
    rendering_part *part = cw_tool_memory_take(sizeof *part);
    *part = (rendering_part){.run = run, .id = told->id, .line = line};
    const cw_polite_request request = {.url = told->url,
                                       .method = told->method,
                                       .headers = told->headers,
                                       .body = told->body,
                                       .on_done = rendering_part_done,
                                       .user = part};
    if (!cw_polite_ask(run->polite, &request))
        return;
    rendering_say(run, "no request", &line);
    crawl_render_refuse(run->renderer, told->id, CRAWL_RENDER_REFUSE_BLOCKED);
    crawl_buf_free(&line);
    free(part);
}

/* --- the page --- */

static void rendering_on_done(void *user, const crawl_rendered *page)
{
    rendering_run *run = user;
    const char *lack = *page->words ? page->words : crawl_render_lack_name(page->lack);
    if (page->failed) {
        cw_tool_say(tool, "%s: not rendered: %s", run->page_url.data, lack);
        rendering_end(run, page->lack == CRAWL_RENDER_MEMORY ? CW_EXIT_LOCAL : CW_EXIT_NOTHING);
        return;
    }
    if (page->lack)
        cw_tool_say(tool, "%s: rendered in part: %s", run->page_url.data, lack);
    else if (*lack)
        cw_tool_say(tool, "%s: %s", run->page_url.data, lack);
    if (run->rendering->verbose)
        cw_tool_say(tool, "%u parts, %u of them fetched, %llu bytes; %.1f s, of which the page waited %.1f s for them",
                    page->parts, page->answered, (unsigned long long)page->bytes, (double)page->elapsed_ms / 1000,
                    (double)page->waited_ms / 1000);
    rendering_end(run, run->rendering->take(run->rendering->user, page));
}

/* Returns true if the page has a refresh to another page. */
static bool rendering_leads_away(rendering_run *run, const crawl_page *page)
{
    crawl_slice href;
    double delay;
    if (!crawl_page_refresh(page, &delay, &href) || !href.size)
        return false;
    return crawl_url_parse(run->next, href, crawl_page_base(page), crawl_page_charset(page)) ||
           !crawl_slice_equal(crawl_url_request(run->next), crawl_url_request(run->url));
}

/* For --verbose: says whether --render auto would have rendered this page. */
static void rendering_say_gate(rendering_run *run, const crawl_render_response *response)
{
    const crawl_text_options options = {.size = sizeof options,
                                        .form = CRAWL_TEXT_FORM_PLAIN,
                                        .all = true,
                                        .document = CRAWL_DOCUMENT_HTML,
                                        .url = run->url};
    if (crawl_url_parse(run->url, crawl_slice_from(run->page_url.data), NULL, NULL))
        return;
    crawl_text_maker *maker = cw_tool_memory_granted(crawl_text_maker_create());
    crawl_page *page = cw_tool_memory_granted(crawl_page_create());
    crawl_render_facts facts = {.size = sizeof facts, .html = response->body};
    crawl_slice text;
    crawl_page_set_kinds(page, CRAWL_LINK_A);
    if (!crawl_text_make_with_links(maker, response->body, &options, page, &text)) {
        facts.text_bytes = text.size;
        facts.has_refresh = rendering_leads_away(run, page);
        (void)crawl_page_links(page, &facts.links);
        const char *why = crawl_render_gate(&facts);
        cw_tool_say(tool, "as it came: %zu bytes of text, %zu links; it %s%s", facts.text_bytes, facts.links,
                    why ? "needs a browser: " : "needs no browser", why ? why : "");
    }
    crawl_page_free(page);
    crawl_text_maker_free(maker);
}

static void rendering_begin(rendering_run *run, const crawl_render_response *response)
{
    const crawl_render_request request = {.size = sizeof request,
                                          .url = crawl_slice_from(run->page_url.data),
                                          .response = response,
                                          .screenshot = run->rendering->screenshot,
                                          .on_part = rendering_on_part,
                                          .on_done = rendering_on_done,
                                          .user = run};
    if (run->rendering->verbose)
        rendering_say_gate(run, response);
    crawl_err err = crawl_render(run->renderer, &request, NULL);
    if (!err)
        return;
    cw_tool_say(tool, "%s: %s", run->page_url.data, crawl_strerror(err));
    rendering_end(run, err == CRAWL_EINVAL ? CW_EXIT_NOTHING : CW_EXIT_LOCAL);
}

/* Takes over the target of a redirect, with the fragment before if it has none. Returns false if there is none. */
static bool rendering_redirects(rendering_run *run, const crawl_response *response)
{
    crawl_slice location = crawl_response_header(response, "Location");
    bool is_redirect = response->status >= 300 && response->status < 400 && location.data &&
                       run->redirects < run->rendering->config->max_redirects;
    if (!is_redirect || crawl_url_parse(run->url, crawl_slice_from(run->page_url.data), NULL, NULL) ||
        crawl_url_parse(run->next, location, run->url, NULL) || !crawl_url_is_http(run->next))
        return false;
    run->redirects++;
    crawl_slice target = crawl_url_href(run->next), fragment = crawl_url_fragment(run->url);
    crawl_buf_clear(&run->page_url);
    return !crawl_buf_append(&run->page_url, target.data, target.size) &&
           (!fragment.size || crawl_url_has_fragment(run->next) ||
            !crawl_buf_printf(&run->page_url, "#%.*s", (int)fragment.size, fragment.data));
}

static void rendering_has_page(void *user, const cw_polite_answer *answer)
{
    rendering_run *run = user;
    const crawl_response *got = answer->response;
    if (run->has_ended)
        return;
    if (!got || got->error) {
        const char *why = !got               ? answer->refused
                          : *got->error_text ? got->error_text
                                             : crawl_fetch_error_name(got->error);
        cw_tool_say(tool, "%s: not fetched: %s", run->page_url.data, why);
        rendering_end(run, got && got->error == CRAWL_FETCH_LOCAL ? CW_EXIT_LOCAL : CW_EXIT_NOTHING);
    } else if (rendering_redirects(run, got)) {
        rendering_ask(run);
    } else if (got->status < 200 || got->status >= 300) {
        cw_tool_say(tool, "%s: the answer has status %d", run->page_url.data, got->status);
        rendering_end(run, CW_EXIT_NOTHING);
    } else {
        const crawl_render_response response = crawl_render_response_of(got);
        rendering_begin(run, &response);
    }
}

static void rendering_ask(rendering_run *run)
{
    const cw_polite_request request = {
        .url = crawl_buf_slice(&run->page_url), .on_done = rendering_has_page, .user = run};
    crawl_err err = cw_polite_ask(run->polite, &request);
    if (!err)
        return;
    cw_tool_say(tool, "%s: %s", run->page_url.data, crawl_strerror(err));
    rendering_end(run, err == CRAWL_EINVAL ? CW_EXIT_NOTHING : CW_EXIT_LOCAL);
}

/* --- the run --- */

static void rendering_stop(evutil_socket_t, short, void *user)
{
    rendering_end(user, CW_EXIT_STOPPED);
}

static crawl_err rendering_open(rendering_run *run, crawl_error *error)
{
    const cw_rendering *rendering = run->rendering;
    const char *url = rendering->url ? rendering->url : rendering->input;
    crawl_render_options options;
    crawl_render_options_init(&options, sizeof options);
    options.program = rendering->browser;
    options.user_agent = rendering->config->user_agent;
    options.images = rendering->images;
    options.post = rendering->post;
    options.clicks = rendering->clicks;
    run->base = event_base_new();
    run->url = cw_tool_memory_granted(crawl_url_create());
    run->next = cw_tool_memory_granted(crawl_url_create());
    if (!run->base)
        return CRAWL_ENOMEM;
    if (crawl_url_parse(run->url, crawl_slice_from(url), NULL, NULL) || !crawl_url_is_http(run->url))
        return crawl_error_set(error, CRAWL_EINVAL, "not an http or https URL: %s", url);
    crawl_slice href = crawl_url_href(run->url);
    crawl_err err = crawl_buf_append(&run->page_url, href.data, href.size);
    if (!err)
        err = cw_polite_create(run->base, rendering->config, href, &run->polite, error);
    return err ? err : crawl_renderer_create(run->base, &options, &run->renderer, error);
}

static int rendering_read(rendering_run *run)
{
    static const crawl_header type = {{"Content-Type", 12}, {"text/html", 9}};
    const char *path = run->rendering->input;
    size_t most = (size_t)run->rendering->config->max_body_bytes;
    crawl_err err = cw_tool_read(tool, path, most ? most : SIZE_MAX / 2, &run->file);
    if (err == CRAWL_FULL)
        cw_tool_say(tool, "%s: longer than fetch.max_body", cw_tool_name(path));
    if (err)
        return err == CRAWL_FULL ? CW_EXIT_NOTHING : CW_EXIT_LOCAL;
    const crawl_render_response response = {.size = sizeof response,
                                            .status = 200,
                                            .headers = &type,
                                            .header_count = 1,
                                            .body = crawl_buf_slice(&run->file)};
    rendering_begin(run, &response);
    return CW_EXIT_OK;
}

static void rendering_loop(rendering_run *run)
{
    struct event *stops[2] = {evsignal_new(run->base, SIGINT, rendering_stop, run),
                              evsignal_new(run->base, SIGTERM, rendering_stop, run)};
    for (int i = 0; i < 2; i++)
        if (stops[i])
            event_add(stops[i], NULL);
    run->status = CW_EXIT_NOTHING;
    if (!cw_tool_is_url(crawl_slice_from(run->rendering->input))) {
        int status = rendering_read(run);
        if (status)
            rendering_end(run, status);
    } else {
        rendering_ask(run);
    }
    if (!run->has_ended)
        event_base_loop(run->base, 0);
    for (int i = 0; i < 2; i++)
        if (stops[i])
            event_free(stops[i]);
}

int cw_rendering_run(const cw_rendering *rendering)
{
    rendering_run run = {.rendering = rendering};
    crawl_error error = {0};
    crawl_err err = rendering_open(&run, &error);
    if (err)
        cw_tool_say(tool, "%s", error.code ? error.message : crawl_strerror(err));
    else
        rendering_loop(&run);
    run.has_ended = true;
    crawl_renderer_free(run.renderer);
    cw_polite_free(run.polite);
    if (run.base)
        event_base_free(run.base);
    crawl_url_free(run.url);
    crawl_url_free(run.next);
    crawl_buf_free(&run.page_url);
    crawl_buf_free(&run.file);
    if (err)
        return err == CRAWL_EINVAL || err == CRAWL_ABSENT || err == CRAWL_REFUSED ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
    return run.status;
}
