/* See page_words.h. */
#include "parse/page/page_words.h"

#include "base/bytes.h"

#include <crawl/links.h>

static bool separates(unsigned char c, bool commas)
{
    return cw_is_space(c) || (commas && c == ',');
}

/* Takes the next word off the front of *rest; size 0: there is none left. */
static crawl_slice next_word(crawl_slice *rest, bool commas)
{
    size_t start = 0;
    while (start < rest->size && separates((unsigned char)rest->data[start], commas))
        start++;
    size_t end = start;
    while (end < rest->size && !separates((unsigned char)rest->data[end], commas))
        end++;
    if (start == end)
        return (crawl_slice){0};
    crawl_slice word = crawl_slice_of(rest->data + start, end - start);
    *rest = crawl_slice_of(rest->data + end, rest->size - end);
    return word;
}

bool cw_has_token(crawl_slice text, const char *word)
{
    crawl_slice wanted = crawl_slice_from(word);
    for (crawl_slice token; (token = next_word(&text, false)).size;)
        if (cw_equal_nocase(token, wanted))
            return true;
    return false;
}

/* Of one directive; 0: it forbids nothing that is ours. */
static unsigned directive_flags(crawl_slice word)
{
    static const struct {
        const char *name;
        unsigned flags;
    } directives[] = {
        {"noindex", CRAWL_ROBOTS_NOINDEX},
        {"nofollow", CRAWL_ROBOTS_NOFOLLOW},
        {"none", CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW},
    };
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (cw_equal_nocase(word, crawl_slice_from(directives[i].name)))
            return directives[i].flags;
    return 0;
}

unsigned cw_robots_directives(crawl_slice content)
{
    unsigned flags = 0;
    for (crawl_slice word; (word = next_word(&content, true)).size;)
        flags |= directive_flags(word);
    return flags;
}

/* --- X-Robots-Tag --- */

/* Directives that have a value behind a ":", as the name of an agent has its directives. */
static bool takes_value(crawl_slice name)
{
    static const char *const names[] = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cw_equal_nocase(name, crawl_slice_from(names[i])))
            return true;
    return false;
}

/* RFC 9309, 2.2.1. */
static bool is_product_token(crawl_slice name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!cw_is_alpha((unsigned char)name.data[i]) && name.data[i] != '_' && name.data[i] != '-')
            return false;
    return name.size != 0;
}

/* Takes the name of an agent with its ":" off the front of *part; size 0: there is none. */
static crawl_slice take_agent(crawl_slice *part)
{
    const char *colon = part->size ? memchr(part->data, ':', part->size) : NULL;
    crawl_slice name = cw_trim(crawl_slice_of(part->data, colon ? (size_t)(colon - part->data) : 0));
    if (!is_product_token(name) || takes_value(name))
        return (crawl_slice){0};
    part->size = (size_t)(part->data + part->size - colon - 1);
    part->data = colon + 1;
    return name;
}

unsigned crawl_robots_tag(crawl_slice value, const char *agent)
{
    unsigned flags = 0;
    bool ours = true;
    while (value.size) {
        const char *comma = memchr(value.data, ',', value.size);
        crawl_slice part = crawl_slice_of(value.data, comma ? (size_t)(comma - value.data) : value.size);
        size_t size = part.size + (comma != NULL);
        value = crawl_slice_of(value.data + size, value.size - size);
        crawl_slice name = take_agent(&part);
        if (name.size)
            ours = agent && cw_equal_nocase(name, crawl_slice_from(agent));
        if (ours)
            flags |= cw_robots_directives(part);
    }
    return flags;
}
