/* The kind of a document: by its Content-Type, and if that leaves it open, by its outermost element. */
#include "base/bytes.h"
#include "parse/sitemap/doctype.h"

#include <crawl/links.h>
#include <libxml/globals.h>
#include <stdlib.h>
#include <unistring/version.h>

/* Bytes searched for the outermost element: comments and declarations before it are rarely 1 KiB, but a DOCTYPE may
 * declare all of HTML's entities. */
enum { SNIFF_MAX = 65536 };

/* --- the media type --- */

/* Takes one value off a list, up to an unquoted comma. */
static crawl_slice document_take_value(crawl_slice *rest)
{
    bool quoted = false;
    size_t size = 0;
    for (; size < rest->size && (quoted || rest->data[size] != ','); size++) {
        if (rest->data[size] == '"')
            quoted = !quoted;
        else if (quoted && rest->data[size] == '\\')
            size += size + 1 < rest->size;
    }
    crawl_slice value = cw_take(rest, size);
    *rest = cw_drop(*rest, rest->size ? 1 : 0);
    return value;
}

/* Ends at a parameter, at a comment, or at white space, which stands for a forgotten ";". */
static crawl_slice essence(crawl_slice value)
{
    value = cw_trim(value);
    return cw_take(&value, cw_find_any(value, " \t\n\f\r;("));
}

/* A text in quotes is no type (WHATWG MIME Sniffing, 4.4); others that are none either, such as text/html:x, are kept
 * for who reads the records. */
static bool is_type(crawl_slice text)
{
    size_t slash = cw_find_char(text, '/');
    return slash > 0 && slash + 1 < text.size && cw_find_char(text, '"') == text.size;
}

crawl_slice crawl_media_type(crawl_slice content_type)
{
    crawl_slice found = {0};
    while (content_type.size) {
        crawl_slice type = essence(document_take_value(&content_type));
        if (is_type(type) && !crawl_slice_equal(type, crawl_slice_from("*/*")))
            found = type;
    }
    return found;
}

/* Types by which servers say that they know none (WHATWG MIME Sniffing, 7). */
static bool is_unknown(crawl_slice type)
{
    return !type.size || cw_is_nocase(type, "unknown/unknown") || cw_is_nocase(type, "application/unknown");
}

/* --- the document --- */

typedef struct document_name {
    const char *text;
    crawl_document document;
} document_name;

static crawl_document document_find(const document_name *names, size_t count, crawl_slice wanted)
{
    for (size_t i = 0; i < count; i++)
        if (cw_is_nocase(wanted, names[i].text))
            return names[i].document;
    return CRAWL_DOCUMENT_OTHER;
}

crawl_document crawl_document_of_content_type(crawl_slice content_type)
{
    static const document_name types[] = {
        {"text/html", CRAWL_DOCUMENT_HTML},
        {"application/xhtml+xml", CRAWL_DOCUMENT_XHTML},
        {"application/atom+xml", CRAWL_DOCUMENT_FEED},
        {"application/rss+xml", CRAWL_DOCUMENT_FEED},
        {"application/rdf+xml", CRAWL_DOCUMENT_FEED},
        {"application/feed+json", CRAWL_DOCUMENT_FEED},
        {"text/css", CRAWL_DOCUMENT_CSS},
        {"text/javascript", CRAWL_DOCUMENT_SCRIPT},
        {"application/javascript", CRAWL_DOCUMENT_SCRIPT},
        {"application/x-javascript", CRAWL_DOCUMENT_SCRIPT},
    };
    return document_find(types, sizeof types / sizeof types[0], crawl_media_type(content_type));
}

/* Returns true for XML that says no more than that (WHATWG MIME Sniffing, "XML MIME type"). */
static bool is_xml(crawl_slice type)
{
    size_t behind = type.size > 4 ? type.size - 4 : type.size;
    return cw_is_nocase(type, "text/xml") || cw_is_nocase(type, "application/xml") ||
           cw_is_nocase(cw_drop(type, behind), "+xml");
}

/* Returns the local name of the element that rest begins with; empty: it begins with none. */
static crawl_slice element_name(crawl_slice rest)
{
    if (!cw_take_text(&rest, "<"))
        return (crawl_slice){0};
    crawl_slice name = crawl_slice_of(rest.data, cw_find_any(rest, " \t\n\f\r>/"));
    size_t colon = cw_find_char(name, ':');
    return colon < name.size ? cw_drop(name, colon + 1) : name;
}

/* Finds the outermost element, read as XML. */
static crawl_document by_element(crawl_slice start)
{
    static const document_name elements[] = {
        {"html", CRAWL_DOCUMENT_XHTML}, {"rss", CRAWL_DOCUMENT_FEED},       {"feed", CRAWL_DOCUMENT_FEED},
        {"RDF", CRAWL_DOCUMENT_FEED},   {"urlset", CRAWL_DOCUMENT_SITEMAP}, {"sitemapindex", CRAWL_DOCUMENT_SITEMAP},
        {"svg", CRAWL_DOCUMENT_SVG},
    };
    start = cw_sitemap_behind_prolog(start);
    return document_find(elements, sizeof elements / sizeof elements[0], element_name(start));
}

/* Room for the start of a document in UTF-16, one byte for each of its units. */
typedef struct narrow_start {
    char text[2048];
} narrow_start;

/* Returns the start in ASCII, where "?" stands for other characters. big: of each unit the high byte comes first. */
static crawl_slice document_narrow(crawl_slice bytes, bool big, narrow_start *room)
{
    size_t size = 0;
    for (size_t at = 0; at + 1 < bytes.size && size < sizeof room->text; at += 2)
        room->text[size++] = bytes.data[at + !big] ? '?' : bytes.data[at + big];
    return crawl_slice_of(room->text, size);
}

/* Returns the start without a byte order mark and white space. */
static crawl_slice document_start_of(crawl_slice bytes, narrow_start *room)
{
    crawl_slice start = crawl_slice_of(bytes.data, bytes.size < SNIFF_MAX ? bytes.size : SNIFF_MAX);
    bool big = cw_take_text(&start, "\xfe\xff");
    if (big || cw_take_text(&start, "\xff\xfe"))
        start = document_narrow(start, big, room);
    else
        cw_take_text(&start, "\xef\xbb\xbf");
    return cw_trim_start(start);
}

static bool is_json_feed(crawl_slice start)
{
    return cw_starts_with(start, "{") && cw_find_text(start, "jsonfeed.org") < start.size;
}

static crawl_document without_type(crawl_slice start)
{
    crawl_document found = by_element(start);
    if (found == CRAWL_DOCUMENT_FEED || found == CRAWL_DOCUMENT_SITEMAP)
        return found;
    if (is_json_feed(start))
        return CRAWL_DOCUMENT_FEED;
    if (found == CRAWL_DOCUMENT_XHTML && cw_starts_with(start, "<?xml"))
        return found;
    return cw_starts_with(start, "<") ? CRAWL_DOCUMENT_HTML : CRAWL_DOCUMENT_OTHER;
}

/* Returns true for files that servers call HTML, and for a page that was compressed twice (WHATWG MIME Sniffing, 6 and
 * 7.1): read as a page they would give noise for text. */
static bool is_no_text(crawl_slice start)
{
    static const char *const starts[] = {"\x1f\x8b\x08", "%PDF-",        "PK\x03\x04", "\x89PNG\r\n",
                                         "GIF87a",       "\xff\xd8\xff", "GIF89a"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (cw_starts_with(start, starts[i]))
            return true;
    return false;
}

crawl_document crawl_document_of(crawl_slice content_type, crawl_slice bytes)
{
    crawl_slice type = crawl_media_type(content_type);
    narrow_start room;
    crawl_slice start = bytes.size ? document_start_of(bytes, &room) : crawl_slice_of("", 0);
    if (is_unknown(type))
        return without_type(start);
    crawl_document declared = crawl_document_of_content_type(type);
    if (declared == CRAWL_DOCUMENT_HTML && is_no_text(start))
        return CRAWL_DOCUMENT_OTHER;
    bool may_be_feed =
        declared == CRAWL_DOCUMENT_HTML || cw_is_nocase(type, "text/plain") || cw_is_nocase(type, "application/json");
    if (may_be_feed && (by_element(start) == CRAWL_DOCUMENT_FEED || is_json_feed(start)))
        return CRAWL_DOCUMENT_FEED;
    return declared == CRAWL_DOCUMENT_OTHER && is_xml(type) ? by_element(start) : declared;
}

/* The libraries that pages and URLs are read with. */

/* "20914", followed by a packager's suffix, for 2.9.14. */
static crawl_err add_libxml2(crawl_buf *out)
{
    unsigned long version = strtoul(xmlParserVersion, NULL, 10);
    return crawl_buf_printf(out, "libxml2 %lu.%lu.%lu\n", version / 10000, version / 100 % 100, version % 100);
}

crawl_err crawl_page_libraries(crawl_buf *out)
{
    crawl_err err = add_libxml2(out);
    unsigned version = (unsigned)_libunistring_version;
    return err ? err
               : crawl_buf_printf(out, "libunistring %u.%u.%u\n", version >> 16, version >> 8 & 0xff, version & 0xff);
}
