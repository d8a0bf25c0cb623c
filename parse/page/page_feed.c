/* Links of RSS and Atom feeds. A feed is XML, and is read here as tokens: that suffices for the few elements in
 * question, accepts feeds that are not well-formed, and holds only the text of one element and of one guid. */
#include "parse/page/page_build.h"

#include "parse/html/html_find.h"
#include "parse/html/html_reference.h"
#include "parse/html/html_token.h"
#include "parse/page/page_values.h"

#include "base/bytes.h"

/* The rel of a link without one, in both kinds of feeds (RFC 4287, 4.2.7.2). */
static const crawl_slice alternate = {"alternate", 9};

/* Nested elements with an xml:base below the outermost one; deeper ones are ignored. Feeds have one or two: an entry,
 * its content. */
enum { MAX_BASES = 8 };

typedef struct feed {
    crawl_page *page;
    cw_html_scanner scanner;
    bool begun;     /* the outermost element was seen */
    bool title;     /* likewise */
    bool linked;    /* the present item has a link */
    crawl_buf guid; /* of the present item, which is its link if there is no other (RSS 2.0); empty: none */
    struct {
        crawl_slice name; /* of the element */
        crawl_url *url;
    } bases[MAX_BASES]; /* of open elements, outermost first */
    size_t base_count;
    crawl_url *url; /* scratch */
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

/* Adds a link, resolved here if an xml:base below the outermost element applies. */
static crawl_err page_feed_add(feed *f, crawl_slice href, crawl_slice rel, crawl_slice type, bool enclosure)
{
    crawl_err err = CRAWL_OK;
    href = cw_trim(href);
    f->linked = f->linked || (href.size && cw_is_nocase(rel, "alternate"));
    if (href.size && f->base_count)
        err = crawl_url_parse(f->url, href, f->bases[f->base_count - 1].url, f->page->charset);
    if (err == CRAWL_ENOMEM)
        return err;
    if (!err && href.size && f->base_count)
        href = crawl_url_href(f->url);
    return cw_page_add_feed_link(f->page, href, rel, type, enclosure);
}

static crawl_err page_feed_take_link(feed *f, const cw_html_values *values, bool empty)
{
    if (values->found & CW_AT_HREF) {
        crawl_slice rel = cw_html_value(values, CW_AT_REL);
        return page_feed_add(f, cw_html_value(values, CW_AT_HREF), rel.size ? rel : alternate,
                             cw_html_value(values, CW_AT_TYPE), false);
    }
    if (empty)
        return CRAWL_OK;
    crawl_err err = page_feed_take_text(f);
    return err ? err : page_feed_add(f, crawl_buf_slice(&f->page->values), alternate, (crawl_slice){0}, false);
}

static crawl_err take_enclosure(feed *f, const cw_html_values *values)
{
    return page_feed_add(f, cw_html_value(values, CW_AT_URL), crawl_slice_from("enclosure"), (crawl_slice){0}, true);
}

/* Keeps a guid that is a location. Many that do not say isPermaLink="false" are only a name. attributes: raw. */
static crawl_err take_guid(feed *f, crawl_slice attributes)
{
    for (crawl_slice name, value; cw_html_next_attribute(&attributes, &name, &value);)
        if (cw_is_nocase(name, "isPermaLink") && cw_is_nocase(cw_trim(value), "false"))
            return CRAWL_OK;
    crawl_err err = page_feed_take_text(f);
    crawl_slice text = cw_trim(crawl_buf_slice(&f->page->values));
    crawl_buf_clear(&f->guid);
    if (err || (!cw_starts_nocase(text, "http://") && !cw_starts_nocase(text, "https://")))
        return err;
    return crawl_buf_append(&f->guid, text.data, text.size);
}

static crawl_err page_feed_end_item(feed *f)
{
    crawl_err err = CRAWL_OK;
    if (f->guid.size && !f->linked)
        err = page_feed_add(f, crawl_buf_slice(&f->guid), alternate, (crawl_slice){0}, false);
    crawl_buf_clear(&f->guid);
    f->linked = false;
    return err;
}

/* ---- xml:base (RFC 4287, 2) ---- */

/* Ends the bases of an element that ends here, and of those in it. */
static void end_bases(feed *f, crawl_slice name)
{
    for (size_t i = 0; i < f->base_count; i++)
        if (cw_equal_nocase(f->bases[i].name, name))
            f->base_count = i;
}

static crawl_err begin_base(feed *f, crawl_slice name, crawl_slice text)
{
    if (!f->begun)
        return cw_page_set_base(f->page, text);
    if (f->base_count == MAX_BASES)
        return CRAWL_OK;
    crawl_url **url = &f->bases[f->base_count].url;
    const crawl_url *outer = f->page->base_known ? f->page->base : NULL;
    if (f->base_count)
        outer = f->bases[f->base_count - 1].url;
    f->url = f->url ? f->url : crawl_url_create();
    *url = *url ? *url : crawl_url_create();
    if (!f->url || !*url)
        return CRAWL_ENOMEM;
    bool is_base;
    crawl_err err = cw_page_base_of(text, outer, f->page->charset, *url, &is_base);
    f->bases[f->base_count].name = name;
    f->base_count += !err && is_base;
    return err;
}

static void page_feed_free(feed *f)
{
    for (size_t i = 0; i < MAX_BASES; i++)
        crawl_url_free(f->bases[i].url);
    crawl_url_free(f->url);
    crawl_buf_free(&f->guid);
}

/* ---- tags ---- */

static crawl_err page_feed_take_element(feed *f, crawl_slice name, const cw_html_values *raw, crawl_slice attributes,
                                        bool empty)
{
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, &f->page->values, &values);
    end_bases(f, name); /* if the end tag of the one before is missing */
    if (!err && (values.found & CW_AT_XML_BASE))
        err = begin_base(f, name, cw_html_value(&values, CW_AT_XML_BASE));
    f->begun = true;
    if (err)
        return err;
    if (cw_is_nocase(name, "item"))
        return page_feed_end_item(f);
    if (cw_is_nocase(name, "link"))
        err = page_feed_take_link(f, &values, empty);
    else if (cw_is_nocase(name, "enclosure"))
        err = take_enclosure(f, &values);
    else if (cw_is_nocase(name, "guid") && !empty)
        err = take_guid(f, attributes);
    else if (cw_is_nocase(name, "title") && !f->title && !empty)
        err = take_title(f);
    if (empty)
        end_bases(f, name);
    return err;
}

static crawl_err page_feed_take_end(feed *f, crawl_slice name)
{
    crawl_err err = cw_is_nocase(name, "item") ? page_feed_end_item(f) : CRAWL_OK;
    end_bases(f, name);
    return err;
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
        const char *rest = f.scanner.at;
        if (!cw_html_finish_tag(&f.scanner, CW_AT_HREF | CW_AT_REL | CW_AT_TYPE | CW_AT_URL | CW_AT_XML_BASE, &values,
                                &empty))
            break;
        crawl_slice attributes = crawl_slice_of(rest, (size_t)(f.scanner.at - rest));
        crawl_slice name = local_name(tag.name);
        err = tag.closing ? page_feed_take_end(&f, name) : page_feed_take_element(&f, name, &values, attributes, empty);
    }
    err = err ? err : page_feed_end_item(&f);
    page_feed_free(&f);
    return err;
}
