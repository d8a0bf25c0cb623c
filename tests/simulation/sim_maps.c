/* Sitemaps: each host of a seed has an index named in its robots.txt, or one file at the path that crawlers guess. */
#include "tests/simulation/sim_parts.h"

#include <stdlib.h>
#include <time.h>
#include <zlib.h>

typedef enum sim_map { MAP_NONE, MAP_ALL, MAP_INDEX, MAP_EVEN, MAP_ODD } sim_map;

static const char *const paths[] = {[MAP_ALL] = "/sitemap.xml",
                                    [MAP_INDEX] = "/pmaps/index.xml",
                                    [MAP_EVEN] = "/pmaps/even.xml.gz",
                                    [MAP_ODD] = "/pmaps/odd.xml"};

static bool has_maps(uint32_t host)
{
    bool is_there = sim_web_has_robots(host) || sim_of_host(MAPS, host, 3);
    return sim_world_now->plan.sitemaps && host < sim_web_seeds() && is_there;
}

static sim_map map_of(crawl_slice path)
{
    for (sim_map map = MAP_ALL; map <= MAP_ODD; map++)
        if (crawl_slice_equal(path, crawl_slice_from(paths[map])))
            return map;
    return MAP_NONE;
}

bool sim_maps_is_one(uint32_t host, crawl_slice path)
{
    return sim_world_now->plan.sitemaps && host < sim_web_seeds() && map_of(path) != MAP_NONE;
}

bool sim_maps_list(sim_place place)
{
    return has_maps(place.host) && sim_of_page(LISTED, place, 2) == 0;
}

static bool is_in(sim_map map, sim_place place)
{
    sim_map own = !sim_web_has_robots(place.host) ? MAP_ALL : place.page % 2 ? MAP_ODD : MAP_EVEN;
    return map == own && sim_maps_list(place);
}

bool sim_maps_lead(uint32_t host, crawl_slice path, sim_place to)
{
    return to.host == host && is_in(map_of(path), to);
}

void sim_maps_put_line(uint32_t host, crawl_buf *out)
{
    if (has_maps(host))
        crawl_buf_printf(out, "Sitemap: http://h%u.site.example%s\n", host, paths[MAP_INDEX]);
}

/* ---- answers ---- */

/* Some hosts give new dates to all pages, even to those that never change. */
static bool is_vain(uint32_t host)
{
    return sim_of_host(VAIN, host, 3) == 0;
}

/* Returns the time between two dates of a page; INT64_MAX: its date is constant. */
static int64_t dated_us(sim_place place)
{
    sim_kind kind = sim_web_kind(place);
    bool is_constant = kind == SIM_REDIRECT || kind == SIM_SOFT;
    return is_constant && !is_vain(place.host) ? INT64_MAX : sim_web_period_us(place);
}

/* Returns seconds since 1970. */
static time_t lastmod(sim_place place)
{
    const time_t long_ago = 1700000000;
    int64_t period_us = dated_us(place);
    int64_t now_us = sim_world_now->now_us;
    return period_us == INT64_MAX ? long_ago : (time_t)((now_us - now_us % period_us) / 1000000);
}

static void put_entry(sim_place place, crawl_buf *out)
{
    char text[32];
    struct tm date;
    time_t at = lastmod(place);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &date));
    crawl_buf_append_text(out, "<url><loc>");
    sim_web_url(place, out);
    crawl_buf_printf(out, "</loc><lastmod>%s</lastmod></url>\n", text);
}

static void put_pages(uint32_t host, sim_map map, crawl_buf *out)
{
    crawl_buf_append_text(out, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n");
    for (uint32_t i = 0; i < sim_web_pages(host); i++)
        if (is_in(map, (sim_place){host, i}))
            put_entry((sim_place){host, i}, out);
    crawl_buf_append_text(out, "</urlset>\n");
}

static void put_index(uint32_t host, crawl_buf *out)
{
    crawl_buf_append_text(out, "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n");
    for (sim_map map = MAP_EVEN; map <= MAP_ODD; map++)
        crawl_buf_printf(out, "<sitemap><loc>http://h%u.site.example%s</loc></sitemap>\n", host, paths[map]);
    crawl_buf_append_text(out, "</sitemapindex>\n");
}

static void zip(crawl_buf *body)
{
    unsigned char packed[16384];
    z_stream stream = {.next_in = (unsigned char *)body->data,
                       .avail_in = (unsigned)body->size,
                       .next_out = packed,
                       .avail_out = sizeof packed};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&stream, Z_FINISH) != Z_STREAM_END || deflateEnd(&stream) != Z_OK)
        abort();
    body->size = 0;
    crawl_buf_append(body, (char *)packed, stream.total_out);
}

void sim_maps_answer(uint32_t host, crawl_slice path, sim_answer *out)
{
    sim_map map = map_of(path);
    bool by_robots = map != MAP_ALL;
    out->status = has_maps(host) && by_robots == sim_web_has_robots(host) ? 200 : 404;
    crawl_buf_printf(&out->head, "Content-Type: %s\n", map == MAP_EVEN ? "application/gzip" : "application/xml");
    if (out->status != 200)
        return;
    if (map == MAP_INDEX)
        put_index(host, &out->body);
    else
        put_pages(host, map, &out->body);
    if (map == MAP_EVEN)
        zip(&out->body);
}

/* ---- pages that become due ---- */

/* The crawl does not believe the dates of a file without an old one, nor of a host where they proved wrong. */
static bool is_believed(uint32_t host, sim_map map)
{
    for (uint32_t i = 0; i < sim_web_pages(host) && !is_vain(host); i++)
        if (is_in(map, (sim_place){host, i}) && dated_us((sim_place){host, i}) == INT64_MAX)
            return true;
    return false;
}

void sim_maps_came(uint32_t host, crawl_slice path)
{
    sim_map map = map_of(path);
    for (uint32_t i = 0; i < sim_web_pages(host) && is_believed(host, map); i++) {
        sim_place place = {host, i};
        sim_page *page = &sim_world_now->hosts[host].pages[i];
        bool is_later = (int64_t)lastmod(place) * 1000000 > page->asked_us;
        bool may_be = sim_web_kind(place) == SIM_PAGE && page->answered && !page->in_flight && !page->due_us;
        if (is_in(map, place) && is_later && may_be)
            page->due_us = sim_world_now->now_us;
    }
}
