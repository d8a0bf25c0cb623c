/* The extensions of sitemaps: translations, which are links of XHTML, and Google's images, videos and news. An element
 * is recognized by its namespace and name. Many files forget to declare a namespace, or write the extension without a
 * prefix, so that it has the namespace of the sitemap: then the name and the place decide. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

/* Returns true if the namespace has `part` in its name, is the sitemap's own, or is missing. */
static bool is_of_namespace(crawl_slice uri, const char *part)
{
    static const char own[] = "schemas/sitemap/"; /* of the protocol, and of its predecessors */
    return !uri.size || memmem(uri.data, uri.size, part, strlen(part)) || memmem(uri.data, uri.size, own, strlen(own));
}

bool cw_sitemap_extension_is_alternate(crawl_slice name, crawl_slice uri)
{
    return cw_is_nocase(name, "link") && is_of_namespace(uri, "/1999/xhtml");
}

cw_sitemap_extension cw_sitemap_extension_of(crawl_slice name, crawl_slice uri)
{
    static const struct {
        const char *name;
        const char *uri;
        cw_sitemap_extension extension;
    } rows[] = {
        {"image", "/sitemap-image/", CW_SITEMAP_OF_IMAGE},
        {"video", "/sitemap-video/", CW_SITEMAP_OF_VIDEO},
        {"news", "/sitemap-news/", CW_SITEMAP_OF_NEWS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cw_is_nocase(name, rows[i].name) && is_of_namespace(uri, rows[i].uri))
            return rows[i].extension;
    return CW_SITEMAP_NO_EXTENSION;
}

cw_sitemap_part cw_sitemap_extension_part(cw_sitemap_extension extension, crawl_slice name,
                                          crawl_sitemap_link_kind *kind)
{
    static const struct {
        cw_sitemap_extension extension;
        const char *name;
        cw_sitemap_part part;
        crawl_sitemap_link_kind kind;
    } rows[] = {
        {CW_SITEMAP_OF_IMAGE, "loc", CW_SITEMAP_LINK, CRAWL_SITEMAP_IMAGE},
        {CW_SITEMAP_OF_VIDEO, "content_loc", CW_SITEMAP_LINK, CRAWL_SITEMAP_VIDEO},
        {CW_SITEMAP_OF_VIDEO, "player_loc", CW_SITEMAP_LINK, CRAWL_SITEMAP_PLAYER},
        {CW_SITEMAP_OF_VIDEO, "thumbnail_loc", CW_SITEMAP_LINK, CRAWL_SITEMAP_THUMBNAIL},
        {CW_SITEMAP_OF_NEWS, "name", CW_SITEMAP_NEWS_NAME, 0},
        {CW_SITEMAP_OF_NEWS, "language", CW_SITEMAP_NEWS_LANGUAGE, 0},
        {CW_SITEMAP_OF_NEWS, "title", CW_SITEMAP_NEWS_TITLE, 0},
        {CW_SITEMAP_OF_NEWS, "publication_date", CW_SITEMAP_NEWS_DATE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].extension == extension && cw_is_nocase(name, rows[i].name)) {
            *kind = rows[i].kind;
            return rows[i].part;
        }
    return CW_SITEMAP_PARTS;
}
