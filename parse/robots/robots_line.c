/* See robots_line.h. A line is NAME ":" VALUE; the name is compared without case. As robots.txt files are written by
 * hand, a line of two words of which the first is a known name is taken as if the colon stood between them. */
#include "parse/robots/robots_line.h"

#include "base/bytes.h"

#include <crawl/robots.h>

static const struct {
    const char *name;
    cw_robots_directive directive;
} directives[] = {
    {"user-agent", CW_ROBOTS_USER_AGENT},   {"allow", CW_ROBOTS_ALLOW},     {"disallow", CW_ROBOTS_DISALLOW},
    {"crawl-delay", CW_ROBOTS_CRAWL_DELAY}, {"sitemap", CW_ROBOTS_SITEMAP},
};

static cw_robots_directive directive_of(crawl_slice name)
{
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (cw_equal_nocase(name, crawl_slice_from(directives[i].name)))
            return directives[i].directive;
    return CW_ROBOTS_UNKNOWN;
}

static crawl_slice skip(crawl_slice text, size_t size)
{
    return crawl_slice_of(text.data + size, text.size - size);
}

/* Where the first of the two bytes stands; the size where neither does. */
static size_t find_either(crawl_slice text, char a, char b)
{
    size_t i = 0;
    while (i < text.size && text.data[i] != a && text.data[i] != b)
        i++;
    return i;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Without what lies behind the limit, and without the line that this cuts: its beginning would be another rule. */
static crawl_slice within_limit(crawl_slice body)
{
    if (body.size <= CRAWL_ROBOTS_MAX_SIZE)
        return body;
    size_t size = CRAWL_ROBOTS_MAX_SIZE;
    if (!is_line_end(body.data[size]))
        while (size && !is_line_end(body.data[size - 1]))
            size--;
    return crawl_slice_of(body.data, size);
}

cw_robots_reader cw_robots_read(crawl_slice body)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    body = within_limit(body);
    for (size_t i = 0; i < sizeof mark && body.size && *body.data == mark[i]; i++)
        body = skip(body, 1);
    return (cw_robots_reader){.rest = body};
}

/* Takes a line and its end off the front. */
static crawl_slice take_line(crawl_slice *rest)
{
    size_t size = find_either(*rest, '\n', '\r');
    crawl_slice line = crawl_slice_of(rest->data, size);
    *rest = skip(*rest, size);
    if (rest->size >= 2 && rest->data[0] == '\r' && rest->data[1] == '\n')
        *rest = skip(*rest, 2);
    else if (rest->size)
        *rest = skip(*rest, 1);
    return line;
}

static crawl_slice without_comment(crawl_slice line)
{
    const char *comment = line.size ? memchr(line.data, '#', line.size) : NULL;
    return comment ? crawl_slice_of(line.data, (size_t)(comment - line.data)) : line;
}

/* "Disallow /a": exactly two words, the first a known name. */
static void split_words(cw_robots_line *line)
{
    size_t word = find_either(line->text, ' ', '\t');
    crawl_slice value = cw_trim(skip(line->text, word));
    cw_robots_directive directive = directive_of(crawl_slice_of(line->text.data, word));
    if (directive == CW_ROBOTS_UNKNOWN || !value.size || find_either(value, ' ', '\t') < value.size)
        return;
    line->directive = directive;
    line->value = value;
}

static void split(cw_robots_line *line)
{
    if (!line->text.size)
        return;
    const char *colon = memchr(line->text.data, ':', line->text.size);
    if (!colon) {
        split_words(line);
        return;
    }
    size_t name = (size_t)(colon - line->text.data);
    line->directive = directive_of(cw_trim(crawl_slice_of(line->text.data, name)));
    line->value = cw_trim(skip(line->text, name + 1));
}

bool cw_robots_next(cw_robots_reader *reader, cw_robots_line *line)
{
    if (!reader->rest.size)
        return false;
    crawl_slice text = take_line(&reader->rest);
    *line = (cw_robots_line){.directive = CW_ROBOTS_NOTHING, .number = ++reader->number};
    line->cut = text.size > CW_ROBOTS_MAX_LINE;
    if (line->cut)
        text.size = CW_ROBOTS_MAX_LINE;
    line->text = cw_trim(without_comment(text));
    split(line);
    return true;
}
