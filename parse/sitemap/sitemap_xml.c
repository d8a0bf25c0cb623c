/* Reads XML sitemaps: libxml2 calls back for each element, and the parts of an entry are collected.
 *
 * Elements are recognized by their local names and their place, whatever their namespace. An entry is an element <url>,
 * <sitemap>, <item> or <entry>; only its children are its parts, so that a deeper <image:loc> is not one. Text in an
 * extension is also recognized by its namespace (sitemap_extension.c).
 *
 * A file with mistakes is read as far as its elements tell what is meant, and reported as broken. Such mistakes are: a
 * second root, an entry of the other kind (<sitemap> in <urlset>, <url> in <sitemapindex>), an entry inside an entry,
 * and a second <loc> in an entry, which begins an entry of its own. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

#include <libxml/parserInternals.h>
#include <pthread.h>

typedef struct root_row {
    const char *name;
    crawl_sitemap_type type;
    const char *entry;
} root_row;

static const root_row roots[] = {
    {"urlset", CRAWL_SITEMAP_URLSET, "url"}, {"sitemapindex", CRAWL_SITEMAP_INDEX, "sitemap"},
    {"rss", CRAWL_SITEMAP_RSS, "item"},      {"rdf", CRAWL_SITEMAP_RSS, "item"},
    {"feed", CRAWL_SITEMAP_ATOM, "entry"},
};

typedef struct part_row {
    crawl_sitemap_type type;
    const char *name;
    cw_sitemap_part part;
} part_row;

static const part_row parts[] = {
    {CRAWL_SITEMAP_URLSET, "loc", CW_SITEMAP_LOC},
    {CRAWL_SITEMAP_URLSET, "lastmod", CW_SITEMAP_LASTMOD},
    {CRAWL_SITEMAP_URLSET, "changefreq", CW_SITEMAP_CHANGEFREQ},
    {CRAWL_SITEMAP_URLSET, "priority", CW_SITEMAP_PRIORITY},
    {CRAWL_SITEMAP_INDEX, "loc", CW_SITEMAP_LOC},
    {CRAWL_SITEMAP_INDEX, "lastmod", CW_SITEMAP_LASTMOD},
    {CRAWL_SITEMAP_RSS, "link", CW_SITEMAP_LOC},
    {CRAWL_SITEMAP_RSS, "guid", CW_SITEMAP_FALLBACK},
    {CRAWL_SITEMAP_RSS, "pubdate", CW_SITEMAP_LASTMOD},
    {CRAWL_SITEMAP_RSS, "date", CW_SITEMAP_LASTMOD},
    {CRAWL_SITEMAP_ATOM, "updated", CW_SITEMAP_LASTMOD},
    {CRAWL_SITEMAP_ATOM, "modified", CW_SITEMAP_LASTMOD},
};

/* The attributes of an element, five pointers each: local name, prefix, namespace, and the value from begin to end. */
typedef struct attributes {
    const xmlChar **list;
    int count;
} attributes;

static crawl_slice sitemap_xml_text_of(const xmlChar *text)
{
    return crawl_slice_from((const char *)text);
}

/* Returns the value of an attribute by its name; data is NULL if there is none. */
static crawl_slice attribute(attributes given, const char *name)
{
    for (int i = 0; i < given.count; i++) {
        const xmlChar **one = given.list + 5 * i;
        if (cw_is_nocase(sitemap_xml_text_of(one[0]), name))
            return crawl_slice_of(one[3], (size_t)(one[4] - one[3]));
    }
    return (crawl_slice){0};
}

static const root_row *find_root(crawl_slice name)
{
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (cw_is_nocase(name, roots[i].name))
            return &roots[i];
    return NULL;
}

static bool is_protocols_own(crawl_sitemap_type type)
{
    return type == CRAWL_SITEMAP_URLSET || type == CRAWL_SITEMAP_INDEX;
}

/* Returns true if the element is an entry in a file of this type. <urlset> and <sitemapindex> may each hold entries of
 * the other. */
static bool is_entry(crawl_sitemap_type type, crawl_slice name)
{
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if ((roots[i].type == type || (is_protocols_own(type) && is_protocols_own(roots[i].type))) &&
            cw_is_nocase(name, roots[i].entry))
            return true;
    return false;
}

static const part_row *find_part(crawl_sitemap_type type, crawl_slice name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].type == type && cw_is_nocase(name, parts[i].name))
            return &parts[i];
    return NULL;
}

/* Stops the parser: nothing more is read. */
static void sitemap_xml_stop(crawl_sitemap *sitemap, crawl_err err)
{
    sitemap->xml.err = err;
    xmlStopParser(sitemap->xml.parser);
}

static void sitemap_xml_keep(crawl_sitemap *sitemap, crawl_err err)
{
    if (err)
        sitemap_xml_stop(sitemap, err);
}

/* Starts a root; the first one determines the type of the file. false: the element is not a root. */
static bool start_root(crawl_sitemap *sitemap, crawl_slice name)
{
    const root_row *row = find_root(name);
    if (!sitemap->xml.has_root && !row)
        sitemap_xml_stop(sitemap, CRAWL_EPARSE);
    else if (!sitemap->xml.has_root)
        sitemap->stats.type = row->type;
    else
        sitemap->stats.broken = true;
    sitemap->xml.has_root = true;
    if (row)
        sitemap->xml.type = row->type;
    return row != NULL;
}

static void collect_text(crawl_sitemap *sitemap, cw_sitemap_part part)
{
    sitemap->xml.collects = true;
    sitemap->xml.collect_depth = sitemap->xml.depth;
    sitemap->xml.part = part;
}

static void begin_entry(crawl_sitemap *sitemap, crawl_slice name)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    xml->entry_depth = xml->depth;
    xml->entry_is_sitemap = cw_is_nocase(name, "sitemap");
    xml->entry_has_loc = false;
    xml->extension = CW_SITEMAP_NO_EXTENSION;
    sitemap->stats.broken |= is_protocols_own(xml->type) && xml->entry_is_sitemap != (xml->type == CRAWL_SITEMAP_INDEX);
    cw_sitemap_clear_entry(&sitemap->entry);
}

static crawl_err end_entry(crawl_sitemap *sitemap)
{
    sitemap->xml.entry_depth = 0;
    return cw_sitemap_emit(sitemap, sitemap->xml.entry_is_sitemap, true);
}

/* Begins an entry inside another entry, or inside its location: the end tag of the earlier one is missing. */
static void begin_next_entry(crawl_sitemap *sitemap, crawl_slice name)
{
    sitemap->stats.broken = true;
    crawl_err err = end_entry(sitemap);
    begin_entry(sitemap, name);
    sitemap->xml.collects = false;
    sitemap_xml_keep(sitemap, err);
}

/* Begins a location. If the entry has one already, the end tag of that entry and the start tag of the next are
 * missing. */
static void start_location(crawl_sitemap *sitemap)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    if (xml->entry_has_loc) {
        sitemap->stats.broken = true;
        sitemap_xml_keep(sitemap, cw_sitemap_emit(sitemap, xml->entry_is_sitemap, true));
    }
    xml->entry_has_loc = true;
}

/* Returns true if a <link href rel> leads to the page that an Atom entry is about. */
static bool sitemap_xml_leads_to_page(attributes given)
{
    crawl_slice rel = attribute(given, "rel");
    return !rel.data || !rel.size || cw_is_nocase(rel, "alternate");
}

/* Collects the value of an href. libxml2 has decoded its references except "&amp;", which it leaves as "&#38;". */
static crawl_err collect_href(crawl_sitemap *sitemap, cw_sitemap_part part, crawl_slice href)
{
    static const char amp[] = "&#38;";
    crawl_err err = CRAWL_OK;
    while (href.size && !err) {
        const char *found = memmem(href.data, href.size, amp, sizeof amp - 1);
        size_t plain = found ? (size_t)(found + 1 - href.data) : href.size;
        size_t taken = found ? plain + sizeof amp - 2 : plain;
        err = cw_sitemap_collect(&sitemap->entry, part, crawl_slice_of(href.data, plain));
        href.data += taken;
        href.size -= taken;
    }
    return err;
}

static void start_link(crawl_sitemap *sitemap, attributes given)
{
    crawl_slice href = attribute(given, "href");
    bool first = sitemap->entry.part[CW_SITEMAP_LOC].size == 0;
    if (!href.size || !first || !sitemap_xml_leads_to_page(given))
        return;
    crawl_err err = collect_href(sitemap, CW_SITEMAP_LOC, href);
    sitemap_xml_keep(sitemap, err ? err : cw_sitemap_make_absolute(sitemap)); /* it may have an xml:base of its own */
}

/* ---- extensions ---- */

static void start_alternate(crawl_sitemap *sitemap, attributes given)
{
    crawl_slice href = attribute(given, "href");
    if (!href.size || !sitemap_xml_leads_to_page(given))
        return;
    crawl_err err = collect_href(sitemap, CW_SITEMAP_LINK, href);
    if (!err)
        err = cw_sitemap_add_link(sitemap, CRAWL_SITEMAP_ALTERNATE, attribute(given, "hreflang"));
    sitemap_xml_keep(sitemap, err);
}

/* Starts a child of an entry that may belong to an extension. false: it does not. */
static bool start_extension(crawl_sitemap *sitemap, crawl_slice name, crawl_slice uri, attributes given)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    if (!is_protocols_own(xml->type) || xml->entry_is_sitemap)
        return false;
    if (cw_sitemap_extension_is_alternate(name, uri)) {
        start_alternate(sitemap, given);
        return true;
    }
    xml->extension = cw_sitemap_extension_of(name, uri);
    xml->extension_depth = xml->depth;
    sitemap->entry.has_news |= xml->extension == CW_SITEMAP_OF_NEWS;
    return xml->extension != CW_SITEMAP_NO_EXTENSION;
}

/* Starts an element inside an extension. If several have one name, the first one counts, except for links. */
static void start_inside_extension(crawl_sitemap *sitemap, crawl_slice name)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    if (xml->collects)
        return;
    cw_sitemap_part part = cw_sitemap_extension_part(xml->extension, name, &xml->link_kind);
    if (part != CW_SITEMAP_PARTS && !sitemap->entry.part[part].size)
        collect_text(sitemap, part);
}

/* ---- entries, and what is outside them ---- */

/* Returns true if a guid says that it is not a location. Otherwise it is one. */
static bool is_no_link(attributes given)
{
    return cw_is_nocase(attribute(given, "isPermaLink"), "false");
}

static bool is_feed(crawl_sitemap_type type)
{
    return type == CRAWL_SITEMAP_ATOM || type == CRAWL_SITEMAP_RSS;
}

/* Keeps the xml:base of an element of a feed (RFC 4287, 2). */
static void start_base(crawl_sitemap *sitemap, attributes given)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    crawl_slice text = is_feed(xml->type) ? attribute(given, "base") : (crawl_slice){0};
    if (!text.size || xml->base_count == CW_SITEMAP_MAX_BASES)
        return;
    crawl_url **url = &xml->bases[xml->base_count].url;
    *url = *url ? *url : crawl_url_create();
    crawl_err err = *url ? crawl_url_parse(*url, text, cw_sitemap_base(sitemap), NULL) : CRAWL_ENOMEM;
    xml->bases[xml->base_count].depth = xml->depth;
    xml->base_count += !err;
    sitemap_xml_keep(sitemap, err == CRAWL_ENOMEM ? err : CRAWL_OK);
}

/* Starts a child of an entry. If several have one name, the first one counts, except for locations. */
static void start_part(crawl_sitemap *sitemap, crawl_slice name, attributes given)
{
    const part_row *row = find_part(sitemap->xml.type, name);
    bool feed = is_feed(sitemap->xml.type);
    if (!feed && row && row->part == CW_SITEMAP_LOC)
        start_location(sitemap);
    if (feed && cw_is_nocase(name, "link") && attribute(given, "href").data)
        start_link(sitemap, given);
    else if (row && !(row->part == CW_SITEMAP_FALLBACK && is_no_link(given)) &&
             sitemap->entry.part[row->part].size == 0)
        collect_text(sitemap, row->part);
}

static void start_child(crawl_sitemap *sitemap, crawl_slice name, crawl_slice uri, attributes given)
{
    if (!start_extension(sitemap, name, uri, given))
        start_part(sitemap, name, given);
}

/* Starts the link of the feed itself: it is the base for relative URLs if the feed's own URL is not known. */
static void start_feed_link(crawl_sitemap *sitemap, crawl_slice name, attributes given)
{
    if (sitemap->has_base || sitemap->xml.depth > 4 || !cw_is_nocase(name, "link"))
        return;
    crawl_slice href = attribute(given, "href");
    if (href.size) {
        cw_sitemap_set_base(sitemap, href);
        return;
    }
    crawl_buf_clear(&sitemap->feed_link_text);
    sitemap->xml.feed_link = true;
    collect_text(sitemap, CW_SITEMAP_LOC);
}

/* Starts an element that is neither an entry nor inside one. */
static void start_other(crawl_sitemap *sitemap, crawl_slice name, attributes given)
{
    if (is_protocols_own(sitemap->xml.type))
        sitemap->stats.broken |= cw_is_nocase(name, "loc");
    else
        start_feed_link(sitemap, name, given);
}

static void sitemap_xml_on_start(void *user, const xmlChar *local, const xmlChar *, const xmlChar *uri, int,
                                 const xmlChar **, int count, int, const xmlChar **list)
{
    crawl_sitemap *sitemap = user;
    cw_sitemap_xml *xml = &sitemap->xml;
    crawl_slice name = sitemap_xml_text_of(local);
    attributes given = {list, count};
    if (xml->err)
        return;
    xml->depth++;
    bool root = xml->depth == 2 && start_root(sitemap, name);
    if (!xml->err) /* a stopped parser has freed the attributes */
        start_base(sitemap, given);
    if (xml->depth == 1 || root || xml->err)
        return;
    bool entry = is_entry(xml->type, name);
    if (xml->entry_depth == 0 && entry)
        begin_entry(sitemap, name);
    else if (xml->entry_depth == 0)
        start_other(sitemap, name, given);
    else if (entry && (xml->depth == xml->entry_depth + 1 || (xml->collects && xml->part == CW_SITEMAP_LOC)))
        begin_next_entry(sitemap, name);
    else if (xml->depth == xml->entry_depth + 1)
        start_child(sitemap, name, sitemap_xml_text_of(uri), given);
    else if (xml->extension)
        start_inside_extension(sitemap, name);
}

static void sitemap_xml_on_end(void *user, const xmlChar *, const xmlChar *, const xmlChar *)
{
    crawl_sitemap *sitemap = user;
    cw_sitemap_xml *xml = &sitemap->xml;
    if (xml->err)
        return;
    if (xml->collects && xml->depth == xml->collect_depth) {
        if (xml->feed_link)
            cw_sitemap_set_base(sitemap, crawl_buf_slice(&sitemap->feed_link_text));
        xml->collects = xml->feed_link = false;
        if (xml->part == CW_SITEMAP_LINK && xml->extension)
            sitemap_xml_keep(sitemap, cw_sitemap_add_link(sitemap, xml->link_kind, (crawl_slice){0}));
    }
    if (xml->extension && xml->depth == xml->extension_depth)
        xml->extension = CW_SITEMAP_NO_EXTENSION;
    if (xml->entry_depth && xml->depth == xml->entry_depth)
        sitemap_xml_keep(sitemap, end_entry(sitemap));
    xml->base_count -= xml->base_count && xml->bases[xml->base_count - 1].depth == xml->depth;
    xml->depth -= xml->depth > 0;
}

static void sitemap_xml_on_text(void *user, const xmlChar *text, int size)
{
    crawl_sitemap *sitemap = user;
    cw_sitemap_xml *xml = &sitemap->xml;
    crawl_slice piece = crawl_slice_of(text, (size_t)size);
    sitemap->stats.broken |= xml->depth == 1 && cw_trim(piece).size; /* outside any root */
    if (xml->err || !xml->collects || xml->depth != xml->collect_depth)
        return;
    if (!xml->feed_link)
        sitemap_xml_keep(sitemap, cw_sitemap_collect(&sitemap->entry, xml->part, piece));
    else if (piece.size <= CRAWL_SITEMAP_MAX_LOCATION - sitemap->feed_link_text.size)
        sitemap_xml_keep(sitemap, crawl_buf_append(&sitemap->feed_link_text, piece.data, piece.size));
}

/* Gives the parser XML's own entities and no others. */
static xmlEntityPtr get_entity(void *, const xmlChar *name)
{
    return xmlGetPredefinedEntity(name);
}

/* The error of a handler is constant since libxml2 2.12. */
#if LIBXML_VERSION >= 21200
typedef const xmlError *xml_sax_error;
#else
typedef xmlErrorPtr xml_sax_error;
#endif

/* Ignores errors. It must be set: without a handler of its own a parser uses the program's global one. */
static void sitemap_xml_on_error(void *, xml_sax_error)
{
}

static const xmlSAXHandler handlers = {
    .initialized = XML_SAX2_MAGIC,
    .startElementNs = sitemap_xml_on_start,
    .endElementNs = sitemap_xml_on_end,
    .characters = sitemap_xml_on_text,
    .cdataBlock = sitemap_xml_on_text,
    .getEntity = get_entity,
    .serror = sitemap_xml_on_error,
};

/* Creates a parser. Initializes libxml2's data of the whole process once, which two threads must not do at the same
 * time. */
static crawl_err open_parser(crawl_sitemap *sitemap)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xmlInitParser);
    sitemap->xml.parser = xmlCreatePushParserCtxt((xmlSAXHandlerPtr)&handlers, sitemap, NULL, 0, NULL);
    if (!sitemap->xml.parser)
        return CRAWL_ENOMEM;
    xmlCtxtUseOptions(sitemap->xml.parser, XML_PARSE_RECOVER | XML_PARSE_NONET);
    return CRAWL_OK;
}

void cw_sitemap_xml_free(crawl_sitemap *sitemap)
{
    if (sitemap->xml.parser)
        xmlFreeParserCtxt(sitemap->xml.parser);
    for (size_t i = 0; i < CW_SITEMAP_MAX_BASES; i++)
        crawl_url_free(sitemap->xml.bases[i].url);
}

/* Returns the result of a parse: an error of ours, a lack of memory, or an error after which libxml2 reads no further
 * although there is more. It reports too many names in the file as a lack of memory. */
static crawl_err sitemap_xml_outcome_of(crawl_sitemap *sitemap)
{
    cw_sitemap_xml *xml = &sitemap->xml;
    if (xml->err)
        return xml->err;
    if (xml->parser->errNo == XML_ERR_NO_MEMORY && xmlDictGetUsage(xml->parser->dict) <= XML_MAX_DICTIONARY_LIMIT)
        return CRAWL_ENOMEM;
    return xml->parser->disableSAX || xml->parser->instate == XML_PARSER_EOF ? CRAWL_EPARSE : CRAWL_OK;
}

crawl_err cw_sitemap_xml_feed(crawl_sitemap *sitemap, crawl_slice clean, bool last)
{
    crawl_err err = sitemap->xml.parser ? CRAWL_OK : open_parser(sitemap);
    while (!err && clean.size) {
        enum { MOST = 1 << 20 };
        int size = clean.size < MOST ? (int)clean.size : MOST;
        xmlParseChunk(sitemap->xml.parser, clean.data, size, 0);
        err = sitemap_xml_outcome_of(sitemap);
        clean.data += size;
        clean.size -= (size_t)size;
    }
    if (err || !last)
        return err;
    xmlParseChunk(sitemap->xml.parser, NULL, 0, 1);
    if (sitemap->xml.err)
        return sitemap->xml.err;
    sitemap->stats.broken |= sitemap->xml.depth > 0 || !sitemap->xml.parser->wellFormed;
    bool closed = !sitemap->xml.collects;
    bool whole = sitemap->xml.entry_depth && sitemap->entry.part[CW_SITEMAP_LOC].size &&
                 (closed || sitemap->xml.part != CW_SITEMAP_LOC);
    return whole ? end_entry(sitemap) : CRAWL_OK;
}
