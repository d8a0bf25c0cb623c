/* See page_words.h. */
#include "parse/page_words.h"

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

unsigned cw_robots_directives(crawl_slice content)
{
    static const struct {
        const char *name;
        unsigned flags;
    } directives[] = {
        {"noindex", CRAWL_ROBOTS_NOINDEX},
        {"nofollow", CRAWL_ROBOTS_NOFOLLOW},
        {"none", CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW},
    };
    unsigned flags = 0;
    for (crawl_slice word; (word = next_word(&content, true)).size;)
        for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
            if (cw_equal_nocase(word, crawl_slice_from(directives[i].name)))
                flags |= directives[i].flags;
    return flags;
}
