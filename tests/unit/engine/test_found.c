/* on_link receives the place of a URL: the element, the header, or the sitemap with its date. */
#include "config/config_values.h"
#include "tests/support/script_server.h"

#include <crawl/engine.h>
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#define ANSWER(type, headers, body) \
    "HTTP/1.1 200 OK\r\nContent-Type: " type "\r\n" headers "Connection: close\r\n\r\n" body

static const script_answer site[] = {
    {.path = "/robots.txt",
     .bytes = "HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
     .end = SCRIPT_CLOSE},
    {.path = "/sitemap.xml",
     .bytes = ANSWER("text/xml", "",
                     "<urlset><url><loc>/m</loc><lastmod>1970-01-02</lastmod></url><url><loc>/n</loc></url></urlset>"),
     .end = SCRIPT_CLOSE},
    {.path = "/",
     .bytes = ANSWER("text/html", "Link: </l>; rel=next\r\nRefresh: 1; url=/r\r\n", "<a href=a>a</a>"),
     .end = SCRIPT_CLOSE},
    {.path = "/a", .bytes = ANSWER("text/xml", "", "<rss><link>/f</link></rss>"), .end = SCRIPT_CLOSE},
    {.path = "/f", .bytes = ANSWER("text/html", "", ""), .end = SCRIPT_CLOSE},
    {.path = "/l", .bytes = ANSWER("text/html", "", ""), .end = SCRIPT_CLOSE},
    {.path = "/m", .bytes = ANSWER("text/html", "", ""), .end = SCRIPT_CLOSE},
    {.path = "/n", .bytes = ANSWER("text/html", "", ""), .end = SCRIPT_CLOSE},
    {.path = "/r", .bytes = ANSWER("text/html", "", ""), .end = SCRIPT_CLOSE},
    {0},
};

typedef struct spider {
    unsigned port;
    char found[512]; /* "path tag attr lastmod" of each, "-" for absent values */
    crawl_err result;
} spider;

static crawl_err on_link(void *user, crawl_engine *, const crawl_found *found, int32_t *)
{
    spider *s = user;
    size_t used = strlen(s->found);
    const char *path = memchr(found->url.data + 8, '/', found->url.size - 8);
    int size = (int)(found->url.data + found->url.size - path);
    char date[32] = "-";
    if (found->lastmod != CRAWL_SITEMAP_NO_DATE)
        snprintf(date, sizeof date, "%" PRId64, found->lastmod);
    snprintf(s->found + used, sizeof s->found - used, "%.*s %s %s %s|", size, path,
             found->link ? found->link->tag : "-", found->link ? found->link->attr : "-", date);
    return CRAWL_OK;
}

static void *run(void *user)
{
    spider *s = user;
    char url[64];
    crawl_config config;
    crawl_engine *engine = NULL;
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_link = on_link, .user = s};
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", s->port);
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    crawl_err err = cw_config_init(&config);
    crawl_config_set(&config, "politeness.delay", "0s", NULL);
    crawl_config_set(&config, "politeness.per_host", "1", NULL);
    crawl_config_set(&config, "crawl.workers", "1", NULL);
    crawl_config_set(&config, "crawl.sitemaps", "true", NULL);
    if (!err)
        err = crawl_engine_create(&config, &hooks, &engine, NULL);
    if (!err)
        err = crawl_engine_seed(engine, &seed, NULL);
    s->result = err ? err : crawl_engine_run(engine, NULL);
    crawl_engine_free(engine);
    cw_config_clear(&config);
    return NULL;
}

Test(found, elements_headers_and_sitemaps)
{
    spider s = {0};
    cr_assert(script_server_serve(site, &s.port, run, &s));
    cr_assert_eq(s.result, CRAWL_OK);
    cr_expect_str_eq(s.found, "/l header link -|/r header refresh -|/a a href -|/m - - 86400|/n - - -|/f link href -|",
                     "%s", s.found);
}
