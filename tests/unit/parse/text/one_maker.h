/* Shared by the tests of texts: a maker of Markdown, for pages at http://h.example/d/p. */
#pragma once

#include <crawl/text.h>

#include <criterion/criterion.h>

static crawl_text_maker *maker;
static crawl_url *url;
static crawl_text_options options;

static inline void setup(void)
{
    maker = crawl_text_maker_create();
    url = crawl_url_create();
    cr_assert(maker && url);
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("http://h.example/d/p"), NULL, NULL), CRAWL_OK);
    options = (crawl_text_options){.size = sizeof(crawl_text_options),
                                   .form = CRAWL_TEXT_FORM_MARKDOWN,
                                   .document = CRAWL_DOCUMENT_HTML,
                                   .url = url};
}

static inline void teardown(void)
{
    crawl_text_maker_free(maker);
    crawl_url_free(url);
}

static inline const char *make_of(crawl_slice html)
{
    crawl_slice text;
    cr_assert_eq(crawl_text_make(maker, html, &options, &text), CRAWL_OK);
    return text.size ? text.data : "";
}
