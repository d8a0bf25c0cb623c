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

/* Removes the next segment of a path or label of a host, and returns it as a word: without its extension or
 * parameters. */
static crawl_slice detour_cut(crawl_slice *parts, char separator)
{
    crawl_slice part = cw_cut(parts, separator);
    return cw_take(&part, cw_find_any(part, ".;"));
}

static bool detour_has(crawl_slice parts, char separator, crawl_slice word)
{
    while (parts.size)
        if (cw_equal_nocase(detour_cut(&parts, separator), word))
            return true;
    return false;
}

/* Returns true if one of the words is a whole segment of the path, as in /user/login, /login.php or
 * /login;jsessionid=1, and is not a segment of the path where the redirect starts. */
static bool has_segment(crawl_slice path, crawl_slice start, const cw_walls_detour *detour)
{
    while (path.size) {
        crawl_slice word = detour_cut(&path, '/');
        if (detour_is_among(word, detour->segments, sizeof detour->segments / sizeof *detour->segments) &&
            !detour_has(start, '/', word))
            return true;
    }
    return false;
}

static bool has_label(crawl_slice host, crawl_slice start, const cw_walls_detour *detour)
{
    while (host.size) {
        crawl_slice label = detour_cut(&host, '.');
        if (detour_is_among(label, detour->labels, sizeof detour->labels / sizeof *detour->labels) &&
            !detour_has(start, '.', label))
            return true;
    }
    return false;
}

/* Returns true if one of the words is the special page that a query of MediaWiki asks for. */
static bool has_title(crawl_slice query, const cw_walls_detour *detour)
{
    while (query.size) {
        crawl_slice value = cw_cut(&query, '&');
        if (cw_take_text(&value, "title="))
            return cw_starts_nocase(value, "special") &&
                   detour_is_among(value, detour->segments, sizeof detour->segments / sizeof *detour->segments);
    }
    return false;
}

/* Returns true if the value of a parameter may be a URL, encoded or not. That of "from" is often a date or a number. */
static bool is_way_back(crawl_slice name, crawl_slice value)
{
    return !cw_is_nocase(name, "from") || cw_starts_with(value, "/") || cw_starts_nocase(value, "%2f") ||
           cw_starts_nocase(value, "http");
}

static bool leads_back(crawl_slice query)
{
    while (query.size) {
        crawl_slice pair = cw_cut(&query, '&');
        crawl_slice name = cw_cut(&pair, '=');
        if (pair.size && detour_is_among(name, cw_walls_returns, cw_walls_return_count) && is_way_back(name, pair))
            return true;
    }
    return false;
}

/* Returns true if a sign of the detour is in the URL and not in the one where the redirect starts. */
static bool url_is_at(const cw_walls_url *url, const cw_walls_url *start, const cw_walls_detour *detour)
{
    return has_segment(url->path, start->path, detour) || has_label(url->host, start->host, detour) ||
           (has_title(url->query, detour) && !has_title(start->query, detour));
}

bool cw_walls_url_is_login(crawl_slice url)
{
    const cw_walls_url parts = cw_walls_url_split(url);
    const cw_walls_url nowhere = {0};
    for (size_t i = 0; i < cw_walls_detour_count; i++)
        if (cw_walls_detours[i].verdict == CRAWL_VERDICT_LOGIN && url_is_at(&parts, &nowhere, &cw_walls_detours[i]))
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
        if (url_is_at(&end, &start, &cw_walls_detours[i]))
            return cw_walls_detours[i].verdict;
    return CRAWL_VERDICT_CONTENT;
}
