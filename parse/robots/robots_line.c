/* Cuts a robots.txt into lines of the form NAME ":" VALUE. Names are compared without case. People write these files by
 * hand, so a line of two words of which the first is a known name is read as if a colon stood between them. */
#include "parse/robots/robots_private.h"

#include "base/bytes.h"

#include <crawl/robots.h>

static const struct {
    const char *name;
    cw_robots_directive directive;
} directives[] = {
    {"user-agent", CW_ROBOTS_USER_AGENT},
    {"allow", CW_ROBOTS_ALLOW},
    {"disallow", CW_ROBOTS_DISALLOW},
    {"crawl-delay", CW_ROBOTS_CRAWL_DELAY},
    {"sitemap", CW_ROBOTS_SITEMAP},
    {"content-usage", CW_ROBOTS_CONTENT_USAGE},
    {"content-signal", CW_ROBOTS_CONTENT_SIGNAL},
    {"license", CW_ROBOTS_LICENSE},
    /* Typing errors that Google's parser accepts too (google/robotstxt). */
    {"useragent", CW_ROBOTS_USER_AGENT},
    {"user agent", CW_ROBOTS_USER_AGENT},
    {"dissallow", CW_ROBOTS_DISALLOW},
    {"dissalow", CW_ROBOTS_DISALLOW},
    {"disalow", CW_ROBOTS_DISALLOW},
    {"diasllow", CW_ROBOTS_DISALLOW},
    {"disallaw", CW_ROBOTS_DISALLOW},
    {"site-map", CW_ROBOTS_SITEMAP},
};

static cw_robots_directive directive_of(crawl_slice name)
{
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (cw_is_nocase(name, directives[i].name))
            return directives[i].directive;
    return CW_ROBOTS_UNKNOWN;
}

static bool robots_is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Returns the body up to the size limit. A line cut by the limit is dropped entirely, because its beginning would be a
 * different rule. */
static crawl_slice within_limit(crawl_slice body)
{
    if (body.size <= CRAWL_ROBOTS_MAX_SIZE)
        return body;
    size_t size = CRAWL_ROBOTS_MAX_SIZE;
    if (!robots_is_line_end(body.data[size]))
        while (size && !robots_is_line_end(body.data[size - 1]))
            size--;
    return crawl_slice_of(body.data, size);
}

cw_robots_reader cw_robots_read(crawl_slice body)
{
    body = within_limit(body);
    if (cw_take_text(&body, "\xef"))
        if (cw_take_text(&body, "\xbb"))
            cw_take_text(&body, "\xbf");
    return (cw_robots_reader){.rest = body};
}

/* Takes a line and its end off the front. */
static crawl_slice robots_take_line(crawl_slice *rest)
{
    crawl_slice line = cw_take(rest, cw_find_any(*rest, "\r\n"));
    if (!cw_take_text(rest, "\r\n"))
        *rest = cw_drop(*rest, rest->size > 0);
    return line;
}

/* Reads a line without a colon, such as "Disallow /a": exactly two words, the first a known name. */
static void split_words(cw_robots_line *line)
{
    size_t word = cw_find_any(line->text, " \t");
    crawl_slice value = cw_trim(cw_drop(line->text, word));
    cw_robots_directive directive = directive_of(crawl_slice_of(line->text.data, word));
    if (directive == CW_ROBOTS_UNKNOWN || !value.size || cw_find_any(value, " \t") < value.size)
        return;
    line->directive = directive;
    line->value = value;
}

static void robots_line_split(cw_robots_line *line)
{
    size_t name = cw_find_char(line->text, ':');
    if (name == line->text.size) {
        split_words(line);
        return;
    }
    line->directive = directive_of(cw_trim(crawl_slice_of(line->text.data, name)));
    line->value = cw_trim(cw_drop(line->text, name + 1));
}

bool cw_robots_next(cw_robots_reader *reader, cw_robots_line *line)
{
    if (!reader->rest.size)
        return false;
    crawl_slice text = robots_take_line(&reader->rest);
    *line = (cw_robots_line){.directive = CW_ROBOTS_NOTHING, .number = ++reader->number};
    line->cut = text.size > CW_ROBOTS_MAX_LINE;
    if (line->cut)
        text.size = CW_ROBOTS_MAX_LINE;
    line->blank = !cw_trim(text).size;
    line->text = cw_trim(cw_cut(&text, '#'));
    robots_line_split(line);
    return true;
}
