#include "parse/script/script_url.h"

#include "base/bytes.h"

#define AS_TEXT(name) #name,
#define AS_ONE(name) +1

static const char *const script_names[] = {CW_SCRIPT_VALUES(AS_TEXT) CW_SCRIPT_CALLS(AS_TEXT)};
enum { NAMES_OF_VALUES = 0 CW_SCRIPT_VALUES(AS_ONE), NAMES = sizeof script_names / sizeof script_names[0] };

int cw_script_name_of(crawl_slice name, cw_script_how how)
{
    int first = how == CW_SCRIPT_VALUE ? 0 : NAMES_OF_VALUES;
    int behind = how == CW_SCRIPT_VALUE ? NAMES_OF_VALUES : how == CW_SCRIPT_CALL ? NAMES : first;
    for (int i = first; i < behind; i++)
        if (name.size && name.data[0] == script_names[i][0] && cw_is(name, script_names[i]))
            return i;
    return -1;
}

/* --- what does not lead to a page --- */

bool cw_script_leads_nowhere(crawl_slice name, cw_script_how how)
{
    static const char *const calls[] = {"fetch",       "ajax",       "get",      "post",     "getJSON",
                                        "load",        "$http",      "axios",    "import",   "EventSource",
                                        "require",     "startsWith", "endsWith", "includes", "indexOf",
                                        "lastIndexOf", "split",      "test",     "match"};
    if (how == CW_SCRIPT_VALUE)
        return cw_is(name, "href_matches") || cw_is(name, "action") || cw_is(name, "formAction");
    return how == CW_SCRIPT_CALL && cw_is_among(name, calls, sizeof calls / sizeof calls[0]);
}

/* Returns true for files that a page is made of. */
static bool has_part_extension(crawl_slice path)
{
    static const char *const extensions[] = {
        "js",          "mjs", "cjs", "ts",   "tsx",  "jsx", "vue",  "css",  "scss", "map",  "json",
        "webmanifest", "png", "jpg", "jpeg", "gif",  "svg", "webp", "avif", "ico",  "bmp",  "woff",
        "woff2",       "ttf", "otf", "eot",  "wasm", "mp3", "mp4",  "webm", "ogg",  "m3u8", "swf",
    };
    const char *dot = memrchr(path.data, '.', path.size);
    crawl_slice extension = dot ? cw_drop(path, (size_t)(dot - path.data) + 1) : (crawl_slice){0};
    return extension.size && cw_is_among(extension, extensions, sizeof extensions / sizeof extensions[0]);
}

/* Returns true for folders of frameworks, which begin with "_", and for interfaces for programs. */
static bool is_for_programs(crawl_slice path)
{
    static const char *const segments[] = {"api",        "static",       "graphql",    "ajax",
                                           "wp-json",    "wp-admin",     "wp-content", "wp-includes",
                                           "xmlrpc.php", "node_modules", "cdn-cgi"};
    while (path.size) {
        crawl_slice segment = cw_cut(&path, '/');
        if (cw_is_among(segment, segments, sizeof segments / sizeof segments[0]) || cw_starts_with(segment, "_"))
            return true;
    }
    return false;
}

/* Returns true for the parameter of a route: /item/:id. */
static bool has_parameter(crawl_slice path)
{
    return cw_find_text(path, "/:") < path.size;
}

/* Returns true for bytes that no URL has, and for those of patterns and templates. */
static bool has_foreign_byte(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || strchr("\"'`<>\\^{}[]|*$()", text.data[i]))
            return true;
    return false;
}

static bool has_two_letters(crawl_slice path)
{
    for (size_t i = 1; i < path.size; i++)
        if (cw_is_alpha((unsigned char)path.data[i - 1]) && cw_is_alpha((unsigned char)path.data[i]))
            return true;
    return false;
}

/* --- parts of a URL --- */

typedef struct script_url {
    crawl_slice host; /* with its port; empty: none */
    crawl_slice path;
    bool rooted; /* it has a host, or begins with "/" */
} script_url;

/* Splits off the part before the path. false: the URL has another scheme. */
static bool split_url(crawl_slice text, script_url *parts)
{
    crawl_slice path = text;
    bool absolute = cw_take_text(&path, "http://") || cw_take_text(&path, "https://") || cw_take_text(&path, "//");
    *parts = (script_url){0};
    if (absolute)
        parts->host = cw_take(&path, cw_find_any(path, "/?#"));
    parts->rooted = absolute || cw_starts_with(path, "/");
    parts->path = crawl_slice_of(path.data, cw_find_any(path, "?#"));
    size_t colon = cw_find_char(path, ':'), end = cw_find_any(path, "/?#");
    bool is_name = colon == end && cw_find_char(path, '%') == path.size; /* not https%3A%2F%2F... */
    return absolute || colon > end || is_name;
}

/* Returns true if every rule holds that does not depend on names. */
static bool may_be_page(crawl_slice text, script_url *parts)
{
    bool readable = text.size && text.size <= CW_SCRIPT_MAX_URL && !has_foreign_byte(text) && split_url(text, parts);
    if (!readable || has_part_extension(parts->path) || has_parameter(parts->path) || is_for_programs(parts->path))
        return false;
    return !parts->host.data || (cw_find_char(parts->host, '.') < parts->host.size && parts->host.data[0] != '.') ||
           cw_starts_nocase(parts->host, "localhost");
}

bool cw_script_is_named_url(crawl_slice text, int name)
{
    script_url parts;
    if (!may_be_page(text, &parts))
        return false;
    if (name >= NAMES_OF_VALUES && !has_two_letters(parts.path)) /* "a".replace("/b/", "c") */
        return false;
    if (parts.rooted || cw_starts_with(text, "./") || cw_starts_with(text, "../"))
        return true;
    return name == 0 && cw_find_any(parts.path, "/.") < parts.path.size;
}

/* Returns true for /21809533738/site/top, a place for advertisements: of all-digit segments, only years begin paths of
 * pages. */
static bool is_for_advertisements(crawl_slice path)
{
    path = cw_drop(path, 1);
    crawl_slice first = cw_cut(&path, '/');
    bool is_year = first.size == 4 && (cw_starts_with(first, "19") || cw_starts_with(first, "20"));
    return first.size && cw_count_digits(first) == first.size && !is_year;
}

/* "/x/y" is a pattern with its flags, "/a//b" is not a path. */
static bool is_plain_path(crawl_slice path)
{
    return has_two_letters(path) && !is_for_advertisements(path) && cw_find_text(path, "//") >= path.size &&
           cw_find_text(path, "...") >= path.size;
}

/* Returns true for what ends a visit, which readers ask for by hand. */
static bool is_way_out(crawl_slice text)
{
    static const char *const words[] = {"logout", "log-out", "log_out", "signout", "sign-out", "sign_out", "logoff"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cw_has_nocase(text, crawl_slice_from(words[i])))
            return true;
    return false;
}

bool cw_script_is_url(crawl_slice text, crawl_slice host)
{
    script_url parts;
    if (cw_starts_with(text, "//") || !may_be_page(text, &parts) || !parts.rooted)
        return false;
    bool is_cut = strchr("=&?,", text.data[text.size - 1]);
    if (is_cut || is_way_out(text))
        return false;
    crawl_slice name = crawl_slice_of(parts.host.data, cw_find_char(parts.host, ':'));
    return parts.host.data ? host.size && crawl_slice_equal(name, host) : is_plain_path(parts.path);
}

bool cw_script_is_file(crawl_slice text, crawl_slice name, cw_script_how how)
{
    script_url parts;
    bool is_source = how == CW_SCRIPT_VALUE && cw_is(name, "src");
    bool is_import = how == CW_SCRIPT_CALL && cw_is(name, "import");
    if ((!is_source && !is_import) || !text.size || text.size > CW_SCRIPT_MAX_URL || has_foreign_byte(text) ||
        !split_url(text, &parts))
        return false;
    bool is_path = parts.rooted || cw_starts_with(text, "./") || cw_starts_with(text, "../");
    return (is_source || is_path) && (cw_ends_with(parts.path, ".js") || cw_ends_with(parts.path, ".mjs"));
}
