/* What kind of document bytes are: by their Content-Type, and where that leaves it open by their outermost element. */
#include "parse/sitemap/doctype.h"

#include "base/bytes.h"

#include <crawl/links.h>

/* Bytes in which the outermost element is looked for: comments and declarations before it are rarely 1 KiB, but a
 * DOCTYPE may declare all of HTML's entities. */
enum { SNIFF_MAX = 65536 };

/* The media type, without parameters. */
static crawl_slice essence(crawl_slice content_type)
{
    const char *end = content_type.size ? memchr(content_type.data, ';', content_type.size) : NULL;
    return cw_trim(crawl_slice_of(content_type.data, end ? (size_t)(end - content_type.data) : content_type.size));
}

typedef struct name {
    const char *text;
    crawl_document document;
} name;

static crawl_document find(const name *names, size_t count, crawl_slice wanted)
{
    for (size_t i = 0; i < count; i++)
        if (cw_equal_nocase(wanted, crawl_slice_from(names[i].text)))
            return names[i].document;
    return CRAWL_DOCUMENT_OTHER;
}

crawl_document crawl_document_of_content_type(crawl_slice content_type)
{
    static const name types[] = {
        {"text/html", CRAWL_DOCUMENT_HTML},
        {"application/xhtml+xml", CRAWL_DOCUMENT_XHTML},
        {"application/atom+xml", CRAWL_DOCUMENT_FEED},
        {"application/rss+xml", CRAWL_DOCUMENT_FEED},
        {"application/rdf+xml", CRAWL_DOCUMENT_FEED},
    };
    return find(types, sizeof types / sizeof types[0], essence(content_type));
}

/* XML that says no more than that (WHATWG MIME Sniffing, "XML MIME type"). */
static bool is_xml(crawl_slice type)
{
    static const char suffix[] = "+xml";
    size_t size = sizeof suffix - 1;
    return cw_equal_nocase(type, crawl_slice_from("text/xml")) ||
           cw_equal_nocase(type, crawl_slice_from("application/xml")) ||
           (type.size > size &&
            cw_equal_nocase(crawl_slice_of(type.data + type.size - size, size), crawl_slice_from(suffix)));
}

static void drop(crawl_slice *rest, size_t size)
{
    size = size < rest->size ? size : rest->size;
    rest->data += size;
    rest->size -= size;
}

static bool begins(const crawl_slice *rest, const char *mark)
{
    size_t size = strlen(mark);
    return rest->size >= size && memcmp(rest->data, mark, size) == 0;
}

/* The local name of the element that rest begins with; empty: with none. */
static crawl_slice element_name(crawl_slice rest)
{
    if (!begins(&rest, "<"))
        return (crawl_slice){0};
    drop(&rest, 1);
    size_t size = 0;
    while (size < rest.size && !cw_is_space((unsigned char)rest.data[size]) && rest.data[size] != '>' &&
           rest.data[size] != '/')
        size++;
    const char *colon = size ? memchr(rest.data, ':', size) : NULL;
    size_t prefix = colon ? (size_t)(colon - rest.data) + 1 : 0;
    return crawl_slice_of(rest.data + prefix, size - prefix);
}

/* What the outermost element is, read as XML. */
static crawl_document by_element(crawl_slice start)
{
    static const name elements[] = {
        {"html", CRAWL_DOCUMENT_XHTML}, {"rss", CRAWL_DOCUMENT_FEED},       {"feed", CRAWL_DOCUMENT_FEED},
        {"RDF", CRAWL_DOCUMENT_FEED},   {"urlset", CRAWL_DOCUMENT_SITEMAP}, {"sitemapindex", CRAWL_DOCUMENT_SITEMAP},
    };
    start = cw_xml_behind_prolog(start);
    return find(elements, sizeof elements / sizeof elements[0], element_name(start));
}

/* Without a byte order mark and white space. */
static crawl_slice start_of(crawl_slice bytes)
{
    crawl_slice start = crawl_slice_of(bytes.data, bytes.size < SNIFF_MAX ? bytes.size : SNIFF_MAX);
    if (begins(&start, "\xef\xbb\xbf"))
        drop(&start, 3);
    while (start.size && cw_is_space((unsigned char)*start.data))
        drop(&start, 1);
    return start;
}

static crawl_document without_type(crawl_slice start)
{
    crawl_document found = by_element(start);
    if (found == CRAWL_DOCUMENT_FEED || found == CRAWL_DOCUMENT_SITEMAP)
        return found;
    if (found == CRAWL_DOCUMENT_XHTML && begins(&start, "<?xml"))
        return found;
    return begins(&start, "<") ? CRAWL_DOCUMENT_HTML : CRAWL_DOCUMENT_OTHER;
}

crawl_document crawl_document_of(crawl_slice content_type, crawl_slice bytes)
{
    crawl_slice type = essence(content_type);
    crawl_slice start = bytes.size ? start_of(bytes) : crawl_slice_of("", 0);
    if (!type.size)
        return without_type(start);
    crawl_document declared = crawl_document_of_content_type(type);
    if (declared == CRAWL_DOCUMENT_HTML)
        return by_element(start) == CRAWL_DOCUMENT_FEED ? CRAWL_DOCUMENT_FEED : CRAWL_DOCUMENT_HTML;
    return declared == CRAWL_DOCUMENT_OTHER && is_xml(type) ? by_element(start) : declared;
}
