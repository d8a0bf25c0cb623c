/* An entry of a sitemap: its parts are collected as the readers find them, and passed to the caller as one. */
#include "parse/sitemap/sitemap_private.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdlib.h>

enum {
    MAX_DETAIL = 128, /* bytes of a date, a frequency, a priority */
    MAX_TEXT = 1024,  /* of a title or a name */
};

/* Bytes of the texts of an entry's links: many times those of real entries. */
#define MAX_LINK_TEXT (4u << 20)

void cw_sitemap_clear_entry(cw_sitemap_entry_text *entry)
{
    for (size_t i = 0; i < CW_SITEMAP_PARTS; i++)
        crawl_buf_clear(&entry->part[i]);
    entry->too_long = entry->link_too_long = entry->has_news = false;
    crawl_buf_clear(&entry->link_text);
    entry->link_count = 0;
}

static size_t most_of(cw_sitemap_part part)
{
    switch (part) {
    case CW_SITEMAP_LOC:
    case CW_SITEMAP_FALLBACK:
    case CW_SITEMAP_LINK:
        return CRAWL_SITEMAP_MAX_LOCATION;
    case CW_SITEMAP_NEWS_NAME:
    case CW_SITEMAP_NEWS_TITLE:
        return MAX_TEXT;
    default:
        return MAX_DETAIL;
    }
}

crawl_err cw_sitemap_collect(cw_sitemap_entry_text *entry, cw_sitemap_part part, crawl_slice text)
{
    crawl_buf *to = &entry->part[part];
    if (text.size > most_of(part) - to->size) {
        entry->too_long |= part == CW_SITEMAP_LOC || part == CW_SITEMAP_FALLBACK;
        entry->link_too_long |= part == CW_SITEMAP_LINK;
        return CRAWL_OK;
    }
    return crawl_buf_append(to, text.data, text.size);
}

void cw_sitemap_set_base(crawl_sitemap *sitemap, crawl_slice text)
{
    if (!sitemap->has_base)
        sitemap->has_base = crawl_url_parse(sitemap->base, text, NULL, NULL) == CRAWL_OK;
}

const crawl_url *cw_sitemap_base(const crawl_sitemap *sitemap)
{
    const cw_sitemap_xml *xml = &sitemap->xml;
    if (xml->base_count)
        return xml->bases[xml->base_count - 1].url;
    return sitemap->has_base ? sitemap->base : NULL;
}

crawl_err cw_sitemap_make_absolute(crawl_sitemap *sitemap)
{
    crawl_buf *location = &sitemap->entry.part[CW_SITEMAP_LOC];
    crawl_err err = crawl_url_parse(sitemap->url, crawl_buf_slice(location), cw_sitemap_base(sitemap), NULL);
    if (err)
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    crawl_slice href = crawl_url_href(sitemap->url);
    crawl_buf_clear(location);
    return crawl_buf_append(location, href.data, href.size);
}

static const char *frequency_of(crawl_slice text)
{
    static const char *const names[] = {"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_is_nocase(text, names[i]))
            return names[i];
    return NULL;
}

/* Reads a decimal number without exponent, at most 1. */
static double sitemap_priority_of(crawl_slice text)
{
    enum { MOST_DIGITS = 15 }; /* digits that a double holds */
    const double fallback = 0.5;
    uint64_t digits = 0;
    double scale = 1;
    bool point = false;
    unsigned count = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (!cw_is_digit(c) && ((c != '.' && c != ',') || point))
            return fallback;
        point |= !cw_is_digit(c);
        if (!cw_is_digit(c) || count == MOST_DIGITS)
            continue;
        digits = digits * 10 + (c - '0');
        scale *= point ? 10 : 1;
        count++;
    }
    double value = (double)digits / scale;
    return !count ? fallback : value > 1 ? 1 : value;
}

static crawl_slice sitemap_part_of(const crawl_sitemap *sitemap, cw_sitemap_part part)
{
    return cw_trim(crawl_buf_slice(&sitemap->entry.part[part]));
}

/* Puts the location of the entry into sitemap->url. CRAWL_EPARSE: the entry has no valid one. A guid that is no URL is
 * only a name. */
static crawl_err sitemap_resolve(crawl_sitemap *sitemap, bool relative)
{
    crawl_slice location = sitemap_part_of(sitemap, CW_SITEMAP_LOC);
    relative &= location.size > 0;
    if (!location.size)
        location = sitemap_part_of(sitemap, CW_SITEMAP_FALLBACK);
    if (!location.size || sitemap->entry.too_long)
        return CRAWL_EPARSE;
    crawl_err err = crawl_url_parse(sitemap->url, location, relative ? cw_sitemap_base(sitemap) : NULL, NULL);
    return !err && !crawl_url_is_http(sitemap->url) ? CRAWL_EPARSE : err;
}

/* ---- links and news of an entry ---- */

static crawl_err keep_link(cw_sitemap_entry_text *entry, crawl_sitemap_link_kind kind, crawl_slice url,
                           crawl_slice hreflang)
{
    if (CW_ARRAY_RESERVE(entry->links, entry->link_room, entry->link_count + 1, 16))
        return CRAWL_ENOMEM;
    entry->links[entry->link_count++] =
        (crawl_sitemap_link){.kind = kind, .url.size = url.size, .hreflang.size = hreflang.size};
    crawl_err err = crawl_buf_append(&entry->link_text, url.data, url.size);
    return err ? err : crawl_buf_append(&entry->link_text, hreflang.data, hreflang.size);
}

crawl_err cw_sitemap_add_link(crawl_sitemap *sitemap, crawl_sitemap_link_kind kind, crawl_slice hreflang)
{
    cw_sitemap_entry_text *entry = &sitemap->entry;
    crawl_err err =
        crawl_url_parse(sitemap->url, sitemap_part_of(sitemap, CW_SITEMAP_LINK), cw_sitemap_base(sitemap), NULL);
    bool is_link = !err && crawl_url_is_http(sitemap->url) && !entry->link_too_long;
    crawl_slice url = is_link ? crawl_url_href(sitemap->url) : (crawl_slice){0};
    crawl_buf_clear(&entry->part[CW_SITEMAP_LINK]);
    entry->link_too_long = false;
    hreflang = cw_trim(hreflang);
    bool fits = entry->link_count < CRAWL_SITEMAP_MAX_LINKS && hreflang.size <= MAX_DETAIL &&
                entry->link_text.size + url.size + hreflang.size <= MAX_LINK_TEXT;
    if (is_link && fits)
        return keep_link(entry, kind, url, hreflang);
    sitemap->stats.skipped++;
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

/* Sets the texts of the links, which no longer move, and counts the links. */
static void place_links(crawl_sitemap *sitemap)
{
    cw_sitemap_entry_text *entry = &sitemap->entry;
    const char *at = entry->link_text.data;
    size_t images = 0;
    for (size_t i = 0; i < entry->link_count; i++) {
        crawl_sitemap_link *link = &entry->links[i];
        link->url.data = at;
        link->hreflang.data = at + link->url.size;
        at += link->url.size + link->hreflang.size;
        images += link->kind == CRAWL_SITEMAP_IMAGE;
    }
    sitemap->stats.links += entry->link_count;
    sitemap->stats.crowded += images > CRAWL_SITEMAP_MAX_IMAGES;
}

/* Reads the date of a part; counts it if it cannot be read. */
static int64_t sitemap_date_of(crawl_sitemap *sitemap, cw_sitemap_part part)
{
    crawl_slice text = sitemap_part_of(sitemap, part);
    int64_t date = cw_sitemap_date(text);
    sitemap->stats.bad_dates += text.size && date == CRAWL_SITEMAP_NO_DATE;
    return date;
}

static crawl_sitemap_news sitemap_news_of(crawl_sitemap *sitemap)
{
    return (crawl_sitemap_news){
        .name = sitemap_part_of(sitemap, CW_SITEMAP_NEWS_NAME),
        .language = sitemap_part_of(sitemap, CW_SITEMAP_NEWS_LANGUAGE),
        .title = sitemap_part_of(sitemap, CW_SITEMAP_NEWS_TITLE),
        .date_text = sitemap_part_of(sitemap, CW_SITEMAP_NEWS_DATE),
        .date = sitemap_date_of(sitemap, CW_SITEMAP_NEWS_DATE),
    };
}

/* ---- entries ---- */

static crawl_err sitemap_tell(crawl_sitemap *sitemap, bool is_sitemap)
{
    const cw_sitemap_entry_text *text = &sitemap->entry;
    const crawl_sitemap_news news = sitemap_news_of(sitemap);
    place_links(sitemap);
    const crawl_sitemap_entry entry = {
        .url = sitemap->url,
        .is_sitemap = is_sitemap,
        .lastmod_text = sitemap_part_of(sitemap, CW_SITEMAP_LASTMOD),
        .lastmod = sitemap_date_of(sitemap, CW_SITEMAP_LASTMOD),
        .changefreq = frequency_of(sitemap_part_of(sitemap, CW_SITEMAP_CHANGEFREQ)),
        .priority = sitemap_priority_of(sitemap_part_of(sitemap, CW_SITEMAP_PRIORITY)),
        .links = text->links,
        .link_count = text->link_count,
        .news = text->has_news ? &news : NULL,
    };
    sitemap->stats.entries++;
    sitemap->stats.news += text->has_news;
    return sitemap->options.on_entry(sitemap->options.user, &entry);
}

crawl_err cw_sitemap_emit(crawl_sitemap *sitemap, bool is_sitemap, bool relative)
{
    crawl_err err = sitemap_resolve(sitemap, relative);
    if (err == CRAWL_EPARSE) {
        sitemap->stats.skipped++;
        err = CRAWL_OK;
    } else if (!err && sitemap->stats.entries >= sitemap->options.max_entries) {
        sitemap->stats.full = true;
        err = CRAWL_FULL;
    } else if (!err) {
        err = sitemap_tell(sitemap, is_sitemap);
    }
    cw_sitemap_clear_entry(&sitemap->entry);
    return err;
}
