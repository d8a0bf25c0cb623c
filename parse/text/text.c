/* Makes the text of a page: decodes, walks, judges and prints it. See <crawl/text.h>. */
#include "base/bytes.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "parse/charset/charset.h"
#include "parse/page/page_build.h"
#include "parse/sitemap/doctype.h"
#include "parse/text/text_judge.h"
#include "parse/text/text_print.h"
#include "parse/text/text_walk.h"

#include <crawl/text.h>

#include <stdlib.h>

/* Memory of each kind that is kept for the next page; enough for nearly all pages. */
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

/* Forgets the previous page. */
static void text_reset(crawl_text_maker *maker)
{
    cw_text_tree_reset(&maker->page.tree, KEEP_BYTES);
    cw_buf_trim(&maker->page.scratch, KEEP_BYTES);
    cw_buf_trim(&maker->page.writer.hrefs, KEEP_BYTES);
    cw_buf_trim(&maker->decoded, KEEP_BYTES);
    cw_buf_trim(&maker->out, KEEP_BYTES);
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

/* --- the passes over a page --- */

/* A page given to the maker. */
typedef struct text_input {
    crawl_text_maker *maker;
    const crawl_text_options *options;
    crawl_slice text; /* the page as UTF-8 */
    crawl_page *page; /* receives the links too; NULL: no links wanted */
} text_input;

/* Decodes the page to UTF-8, and names its encoding. */
static crawl_err text_decode(text_input *in, crawl_slice bytes, const char **charset)
{
    crawl_text_maker *maker = in->maker;
    bool valid;
    maker->is_cut = bytes.size > CRAWL_TEXT_MAX_INPUT;
    if (maker->is_cut)
        bytes = cw_utf8_cut(bytes, CRAWL_TEXT_MAX_INPUT);
    *charset = cw_charset_sniff(bytes, in->options->charset, &valid);
    in->text = bytes;
    return valid ? CRAWL_OK : cw_charset_decode(&maker->decoder, *charset, bytes, &maker->decoded, &in->text);
}

static crawl_err pass_alone(void *user, const cw_html_every *every)
{
    const text_input *in = user;
    const cw_html_visitor visitor = {.xml = in->options->document == CRAWL_DOCUMENT_XHTML, .every = {every}};
    return cw_html_walk(visitor.xml && in->text.size ? cw_sitemap_behind_prolog(in->text) : in->text, &visitor);
}

static crawl_err pass_with_links(void *user, const cw_html_every *every)
{
    const text_input *in = user;
    return cw_page_read(in->page, in->options->document, in->text, every);
}

/* --- from a pass to the text --- */

static crawl_err text_walk_and_judge(text_input *in, const cw_text_source *source, cw_text_pass pass)
{
    cw_text_page *page = &in->maker->page;
    page->unscripted_words = 0;
    page->asks_for_scripts = false;
    page->signs = 0;
    crawl_err err = source->has_base ? crawl_url_copy(page->base, in->options->url) : CRAWL_OK;
    if (!err)
        err = cw_text_walk(page, source, pass, in);
    if (!err && source->all)
        cw_text_keep_all(&page->tree);
    else if (!err)
        cw_text_judge(&page->tree, cw_text_kind_of(page->signs), source->markdown);
    return err;
}

/* Returns true if the noscript elements have the text of the page, and not only a notice that it needs scripts. */
static bool is_for_the_unscripted(const cw_text_page *page)
{
    enum { LITTLE_WORDS = 15, NOTICE_WORDS = 120 };
    uint32_t words = 0;
    for (size_t i = 0; i < page->tree.blocks.count && page->unscripted_words; i++)
        words += cw_text_block_at(&page->tree, i)->kept ? cw_text_block_at(&page->tree, i)->words : 0;
    bool is_notice = page->asks_for_scripts && page->unscripted_words < NOTICE_WORDS;
    return words < LITTLE_WORDS && page->unscripted_words > words && !is_notice;
}

static crawl_err text_make(text_input *in, const char *charset, cw_text_pass pass)
{
    crawl_text_maker *maker = in->maker;
    const cw_text_tree *tree = &maker->page.tree;
    cw_text_source source = {
        .xml = in->options->document == CRAWL_DOCUMENT_XHTML,
        .markdown = in->options->form == CRAWL_TEXT_FORM_MARKDOWN,
        .all = in->options->all,
        .has_base = in->options->url != NULL,
        .charset = charset,
        .most = CRAWL_TEXT_MAX,
    };
    crawl_err err = text_walk_and_judge(in, &source, pass);
    if (!err && is_for_the_unscripted(&maker->page)) {
        cw_text_tree_reset(&maker->page.tree, KEEP_BYTES);
        source.unscripted = true;
        err = text_walk_and_judge(in, &source, pass_alone);
    }
    if (err)
        return err;
    maker->is_cut = maker->is_cut || tree->text.size >= source.most || cw_text_tree_is_full(tree);
    return cw_text_print(&maker->page.tree, source.markdown, source.most, &maker->out, &maker->is_cut);
}

static bool text_is_valid(const crawl_text_options *options)
{
    bool is_page = options->document == CRAWL_DOCUMENT_HTML || options->document == CRAWL_DOCUMENT_XHTML;
    return is_page && (options->form == CRAWL_TEXT_FORM_PLAIN || options->form == CRAWL_TEXT_FORM_MARKDOWN);
}

bool crawl_text_is_cut(const crawl_text_maker *maker)
{
    return maker->is_cut;
}

crawl_err crawl_text_make(crawl_text_maker *maker, crawl_slice bytes, const crawl_text_options *options,
                          crawl_slice *text)
{
    crawl_text_options own;
    options = cw_sized(&own, sizeof own, options);
    text_input in = {.maker = maker, .options = options};
    const char *charset;
    if (!options || !text_is_valid(options))
        return CRAWL_EINVAL;
    text_reset(maker);
    crawl_err err = text_decode(&in, bytes, &charset);
    if (!err)
        err = text_make(&in, charset, pass_alone);
    if (!err)
        *text = crawl_buf_slice(&maker->out);
    return err;
}

/* Reads a page that is too large for a text twice: up to the maximum for its text, and to its end for its links. */
static crawl_err make_from_its_start(text_input *in, crawl_slice bytes, crawl_slice *text)
{
    crawl_err err = cw_page_read(in->page, in->options->document, in->text, NULL);
    crawl_text_options options = *in->options;
    options.charset = crawl_page_charset(in->page);
    return err ? err : crawl_text_make(in->maker, bytes, &options, text);
}

crawl_err crawl_text_make_with_links(crawl_text_maker *maker, crawl_slice bytes, const crawl_text_options *options,
                                     crawl_page *page, crawl_slice *text)
{
    crawl_text_options own;
    options = cw_sized(&own, sizeof own, options);
    text_input in = {.maker = maker, .options = options, .page = page};
    if (!options || !text_is_valid(options))
        return CRAWL_EINVAL;
    crawl_err err = cw_page_decode(page, options->document, bytes, options->url, options->charset, &in.text);
    if (err)
        return err;
    if (bytes.size > CRAWL_TEXT_MAX_INPUT)
        return make_from_its_start(&in, bytes, text);
    text_reset(maker);
    maker->is_cut = false;
    err = text_make(&in, crawl_page_charset(page), pass_with_links);
    if (!err)
        *text = crawl_buf_slice(&maker->out);
    return err;
}
