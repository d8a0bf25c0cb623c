/* The text of a page: decode, walk, judge, print. See <crawl/text.h>. */
#include "base/utf8.h"
#include "parse/charset/charset.h"
#include "parse/sitemap/doctype.h"
#include "parse/text/text_judge.h"
#include "parse/text/text_print.h"
#include "parse/text/text_walk.h"

#include <crawl/text.h>

#include <stdlib.h>

/* Memory of each kind that is kept from one page to the next: enough for nearly all pages. */
enum { KEEP_BYTES = 1 << 20 };

struct crawl_text_maker {
    cw_text_page page;
    cw_charset_decoder decoder;
    crawl_buf decoded;
    crawl_buf out;
    bool is_cut;
};

crawl_text_maker *crawl_text_maker_create(void)
{
    crawl_text_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->page.base = crawl_url_create();
    maker->page.url = crawl_url_create();
    if (maker->page.base && maker->page.url)
        return maker;
    crawl_text_maker_free(maker);
    return NULL;
}

static void trim(crawl_buf *buf)
{
    if (buf->capacity > KEEP_BYTES)
        crawl_buf_free(buf);
    crawl_buf_clear(buf);
}

/* Forgets the page before. */
static void reset(crawl_text_maker *maker)
{
    cw_text_tree_reset(&maker->page.tree, KEEP_BYTES);
    trim(&maker->page.scratch);
    trim(&maker->page.writer.hrefs);
    trim(&maker->decoded);
    trim(&maker->out);
}

void crawl_text_maker_free(crawl_text_maker *maker)
{
    if (!maker)
        return;
    cw_text_tree_free(&maker->page.tree);
    cw_text_writer_free(&maker->page.writer);
    crawl_buf_free(&maker->page.scratch);
    crawl_buf_free(&maker->decoded);
    crawl_buf_free(&maker->out);
    crawl_url_free(maker->page.base);
    crawl_url_free(maker->page.url);
    cw_charset_decoder_close(&maker->decoder);
    free(maker);
}

/* The page as UTF-8, with the name of its encoding. */
static crawl_err decode(crawl_text_maker *maker, crawl_slice bytes, cw_text_source *source, const char *declared)
{
    bool valid;
    maker->is_cut = bytes.size > CRAWL_TEXT_MAX_INPUT;
    if (maker->is_cut)
        bytes = cw_utf8_cut(bytes, CRAWL_TEXT_MAX_INPUT);
    source->charset = cw_charset_sniff(bytes, declared, &valid);
    source->html = bytes;
    crawl_err err = CRAWL_OK;
    if (!valid)
        err = cw_charset_decode(&maker->decoder, source->charset, bytes, &maker->decoded, &source->html);
    if (!err && source->xml && source->html.size)
        source->html = cw_sitemap_behind_prolog(source->html);
    return err;
}

static crawl_err make(crawl_text_maker *maker, const cw_text_source *source, bool all)
{
    crawl_err err = cw_text_walk(&maker->page, source);
    if (err)
        return err;
    const cw_text_tree *tree = &maker->page.tree;
    maker->is_cut = maker->is_cut || tree->text.size >= source->most || cw_text_tree_is_full(tree);
    cw_text_judge(&maker->page.tree, all);
    return cw_text_print(&maker->page.tree, source->markdown, source->most, &maker->out, &maker->is_cut);
}

bool crawl_text_is_cut(const crawl_text_maker *maker)
{
    return maker->is_cut;
}

crawl_err crawl_text_make(crawl_text_maker *maker, crawl_slice bytes, const crawl_text_options *options,
                          crawl_slice *text)
{
    bool is_page = options->document == CRAWL_DOCUMENT_HTML || options->document == CRAWL_DOCUMENT_XHTML;
    if (!is_page || (options->form != CRAWL_TEXT_FORM_PLAIN && options->form != CRAWL_TEXT_FORM_MARKDOWN))
        return CRAWL_EINVAL;
    cw_text_source source = {
        .xml = options->document == CRAWL_DOCUMENT_XHTML,
        .markdown = options->form == CRAWL_TEXT_FORM_MARKDOWN,
        .has_base = options->url != NULL,
        .most = CRAWL_TEXT_MAX,
    };
    reset(maker);
    crawl_err err = options->url ? crawl_url_copy(maker->page.base, options->url) : CRAWL_OK;
    if (!err)
        err = decode(maker, bytes, &source, options->charset);
    if (!err)
        err = make(maker, &source, options->all);
    if (!err)
        *text = crawl_buf_slice(&maker->out);
    return err;
}
