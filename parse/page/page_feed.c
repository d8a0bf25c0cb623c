/* Links of RSS and Atom feeds. A feed is XML, and is read here as tokens: that suffices for the three elements in
 * question, accepts feeds that are not well-formed, and holds only the text of one element. */
#include "parse/page/page_build.h"

#include "parse/html/html_find.h"
#include "parse/html/html_reference.h"
#include "parse/html/html_token.h"

#include "base/bytes.h"

/* The rel of a link without one, in both kinds of feeds (RFC 4287, 4.2.7.2). */
static const crawl_slice alternate = {"alternate", 9};

typedef struct feed {
    crawl_page *page;
    cw_html_scanner scanner;
    bool begun; /* the outermost element was seen */
    bool title; /* likewise */
} feed;

/* Returns the name without a namespace prefix: RSS holds Atom's links as <atom:link>. */
static crawl_slice local_name(crawl_slice name)
{
    size_t colon = cw_find_last(name, ':');
    return colon < name.size ? cw_drop(name, colon + 1) : name;
}

/* --- text of an element --- */

/* Appends text if there is room for it. */
static crawl_err page_feed_put_text(crawl_buf *out, crawl_slice text, bool coded)
{
    if (text.size > CW_HTML_MAX_RAW_VALUE - out->size)
        return CRAWL_OK;
    return coded ? cw_html_decode(out, text, CW_IN_TEXT) : crawl_buf_append(out, text.data, text.size);
}

static bool skip_mark(cw_html_scanner *scanner, const char *mark)
{
    size_t size = strlen(mark);
    if ((size_t)(scanner->end - scanner->at) < size || memcmp(scanner->at, mark, size) != 0)
        return false;
    scanner->at += size;
    return true;
}

static crawl_slice take_to(cw_html_scanner *scanner, const char *mark)
{
    size_t size = (size_t)(scanner->end - scanner->at);
    const char *found = memmem(scanner->at, size, mark, strlen(mark));
    crawl_slice text = {scanner->at, found ? (size_t)(found - scanner->at) : size};
    scanner->at = found ? found + strlen(mark) : scanner->end;
    return text;
}

/* Reads the text up to the next tag into page->values, including CDATA sections. */
static crawl_err page_feed_take_text(feed *f)
{
    crawl_buf *out = &f->page->values;
    cw_html_scanner *scanner = &f->scanner;
    crawl_buf_clear(out);
    for (crawl_err err = CRAWL_OK;;) {
        const char *start = scanner->at;
        scanner->at = cw_html_find(start, scanner->end, '<');
        err = page_feed_put_text(out, crawl_slice_of(start, (size_t)(scanner->at - start)), true);
        if (!err && skip_mark(scanner, "<![CDATA["))
            err = page_feed_put_text(out, take_to(scanner, "]]>"), false);
        else if (!err && skip_mark(scanner, "<!--"))
            take_to(scanner, "-->");
        else
            return err;
        if (err)
            return err;
    }
}

/* --- elements --- */

static crawl_err take_title(feed *f)
{
    f->title = true;
    crawl_err err = page_feed_take_text(f);
    return err ? err : cw_page_set_title(f->page, crawl_buf_slice(&f->page->values));
}

static crawl_err page_feed_take_link(feed *f, const cw_html_values *values, bool empty)
{
    if (values->found & CW_AT_HREF) {
        crawl_slice rel = cw_html_value(values, CW_AT_REL);
        return cw_page_add_feed_link(f->page, cw_html_value(values, CW_AT_HREF), rel.size ? rel : alternate,
                                     cw_html_value(values, CW_AT_TYPE), false);
    }
    if (empty)
        return CRAWL_OK;
    crawl_err err = page_feed_take_text(f);
    return err ? err
               : cw_page_add_feed_link(f->page, crawl_buf_slice(&f->page->values), alternate, (crawl_slice){0}, false);
}

static crawl_err take_enclosure(feed *f, const cw_html_values *values)
{
    return cw_page_add_feed_link(f->page, cw_html_value(values, CW_AT_URL), crawl_slice_from("enclosure"),
                                 (crawl_slice){0}, true);
}

static crawl_err page_feed_take_element(feed *f, crawl_slice name, const cw_html_values *raw, bool empty)
{
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, &f->page->values, &values);
    if (!err && !f->begun && (values.found & CW_AT_XML_BASE))
        err = cw_page_set_base(f->page, cw_html_value(&values, CW_AT_XML_BASE));
    f->begun = true;
    if (err)
        return err;
    if (cw_is_nocase(name, "link"))
        return page_feed_take_link(f, &values, empty);
    if (cw_is_nocase(name, "enclosure"))
        return take_enclosure(f, &values);
    if (cw_is_nocase(name, "title") && !f->title && !empty)
        return take_title(f);
    return CRAWL_OK;
}

crawl_err cw_page_by_feed(crawl_page *page, crawl_slice text)
{
    if (!text.size)
        return CRAWL_OK;
    feed f = {.page = page, .scanner = {text.data, text.data + text.size, true, false}};
    crawl_err err = CRAWL_OK;
    cw_html_values values;
    bool empty;
    for (cw_html_tag tag; !err && cw_html_next_tag(&f.scanner, &tag);) {
        if (!cw_html_finish_tag(&f.scanner, CW_AT_HREF | CW_AT_REL | CW_AT_TYPE | CW_AT_URL | CW_AT_XML_BASE, &values,
                                &empty))
            break;
        if (!tag.closing)
            err = page_feed_take_element(&f, local_name(tag.name), &values, empty);
    }
    return err;
}
