#include "crawler/output/mirror/extension.h"

#include "base/bytes.h"

/* Types, and the extensions by which browsers know them. */
static const struct {
    const char *type;
    const char *extension; /* the one that is added */
    const char *others;
} types[] = {
    {"text/html", "html", "htm shtml"},
    {"application/xhtml+xml", "xhtml", "xht"},
    {"text/css", "css", ""},
    {"text/javascript", "js", "mjs"},
    {"application/javascript", "js", "mjs"},
    {"application/x-javascript", "js", "mjs"},
    {"application/json", "json", "map webmanifest"},
    {"application/manifest+json", "webmanifest", "json"},
    {"application/wasm", "wasm", ""},
    {"application/pdf", "pdf", ""},
    {"application/xml", "xml", "xsl xslt rss atom rdf"},
    {"text/xml", "xml", "xsl xslt rss atom rdf"},
    {"application/rss+xml", "xml", "rss"},
    {"application/atom+xml", "xml", "atom"},
    {"image/svg+xml", "svg", ""},
    {"image/png", "png", "apng"},
    {"image/jpeg", "jpg", "jpeg jpe jfif"},
    {"image/gif", "gif", ""},
    {"image/webp", "webp", ""},
    {"image/avif", "avif", ""},
    {"image/bmp", "bmp", ""},
    {"image/x-icon", "ico", ""},
    {"image/vnd.microsoft.icon", "ico", ""},
    {"font/woff2", "woff2", ""},
    {"font/woff", "woff", ""},
    {"font/ttf", "ttf", ""},
    {"font/otf", "otf", ""},
    {"audio/mpeg", "mp3", ""},
    {"audio/ogg", "ogg", "oga opus"},
    {"audio/wav", "wav", ""},
    {"video/mp4", "mp4", "m4v"},
    {"video/webm", "webm", ""},
    {"video/ogg", "ogv", "ogg"},
    {"text/vtt", "vtt", ""},
};

/* Extensions of files that a browser opens as documents, whose scripts may run. */
static const char active[] =
    "html htm shtml shtm ehtml xhtml xhtm xht mht mhtml svg svgz xml xsl xslt xbl rss atom rdf";

crawl_slice cw_mirror_extension_of(crawl_slice name)
{
    enum { MOST = 10 };
    size_t dot = cw_find_last(name, '.');
    crawl_slice extension = dot < name.size ? cw_drop(name, dot + 1) : (crawl_slice){0};
    bool has_letter = false;
    for (size_t i = 0; i < extension.size; i++) {
        if (!cw_is_alnum((unsigned char)extension.data[i]))
            return (crawl_slice){0};
        has_letter = has_letter || cw_is_alpha((unsigned char)extension.data[i]);
    }
    return has_letter && extension.size <= MOST ? extension : (crawl_slice){0};
}

const char *cw_mirror_extension_added(crawl_slice own, crawl_slice content_type)
{
    crawl_slice type = cw_trim(cw_cut(&content_type, ';'));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (cw_is_nocase(type, types[i].type)) {
            bool known =
                cw_is_nocase(own, types[i].extension) || cw_has_word(crawl_slice_from(types[i].others), own, false);
            return known ? NULL : types[i].extension;
        }
    bool will_do = own.size && !cw_has_word(crawl_slice_from(active), own, false);
    return will_do ? NULL : cw_starts_nocase(type, "text/") ? "txt" : "bin";
}
