#include "parse/wall/wall_detour.h"

#include "base/bytes.h"
#include "parse/wall/wall_table.h"

cw_walls_url cw_walls_url_split(crawl_slice url)
{
    cw_walls_url parts = {0};
    url = cw_cut(&url, '#');
    size_t colon = cw_find_text(url, "://");
    if (colon < cw_find_any(url, "/?"))
        url = cw_drop(url, colon + 1);
    if (cw_take_text(&url, "//")) {
        crawl_slice authority = cw_take(&url, cw_find_any(url, "/?"));
        parts.host = cw_cut(&authority, ':');
    }
    parts.path = cw_take(&url, cw_find_char(url, '?'));
    parts.query = url.size ? cw_drop(url, 1) : url;
    return parts;
}

static bool detour_is_among(crawl_slice word, const char *const *words, size_t most)
{
    for (size_t i = 0; word.size && i < most && words[i]; i++)
        if (cw_is_nocase(word, words[i]))
            return true;
    return false;
}

/* Returns true if one of the words is a whole segment of the path, as in /user/login or /login.php. */
static bool has_segment(crawl_slice path, const cw_walls_detour *detour)
{
    while (path.size) {
        crawl_slice segment = cw_cut(&path, '/');
        crawl_slice word = cw_cut(&segment, '.');
        if (detour_is_among(word, detour->segments, sizeof detour->segments / sizeof *detour->segments))
            return true;
    }
    return false;
}

static bool has_label(crawl_slice host, const cw_walls_detour *detour)
{
    while (host.size) {
        crawl_slice label = cw_cut(&host, '.');
        if (detour_is_among(label, detour->labels, sizeof detour->labels / sizeof *detour->labels))
            return true;
    }
    return false;
}

static bool leads_back(crawl_slice query)
{
    while (query.size) {
        crawl_slice pair = cw_cut(&query, '&');
        crawl_slice name = cw_cut(&pair, '=');
        if (pair.size && detour_is_among(name, cw_walls_returns, cw_walls_return_count))
            return true;
    }
    return false;
}

static bool url_is_at(const cw_walls_url *url, const cw_walls_detour *detour)
{
    return has_segment(url->path, detour) || has_label(url->host, detour);
}

bool cw_walls_url_is_login(crawl_slice url)
{
    const cw_walls_url parts = cw_walls_url_split(url);
    for (size_t i = 0; i < cw_walls_detour_count; i++)
        if (cw_walls_detours[i].verdict == CRAWL_VERDICT_LOGIN && url_is_at(&parts, &cw_walls_detours[i]))
            return true;
    return false;
}

crawl_verdict cw_walls_detour_of(crawl_slice from, crawl_slice to)
{
    const cw_walls_url start = cw_walls_url_split(from);
    const cw_walls_url end = cw_walls_url_split(to);
    if (!leads_back(end.query))
        return CRAWL_VERDICT_CONTENT;
    for (size_t i = 0; i < cw_walls_detour_count; i++)
        if (url_is_at(&end, &cw_walls_detours[i]) && !url_is_at(&start, &cw_walls_detours[i]))
            return cw_walls_detours[i].verdict;
    return CRAWL_VERDICT_CONTENT;
}
