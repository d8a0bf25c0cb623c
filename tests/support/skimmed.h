/* Finds the tags that decide something in two ways: by looking at every tag, and by a skimmer that skips what it can.
 * Both must find the same. For unit tests and fuzzers. */
#pragma once

#include "parse/html/html_token.h"

/* Moves to the next start tag that decides something and takes its attributes. False: there is none. Skips the contents
 * of text-only elements, as a walk does. */
static inline bool next_deciding(cw_html_scanner *scanner, const cw_html_element **element, cw_html_values *values)
{
    bool self_closing;
    for (cw_html_tag tag; cw_html_next_tag(scanner, &tag);) {
        *element = cw_html_element_named(tag.name, false);
        if (!cw_html_finish_tag(scanner, *element ? (*element)->attributes : 0, values, &self_closing))
            return false;
        if (!*element || tag.closing)
            continue;
        if ((*element)->flags & CW_EL_RAW)
            cw_html_skip_text(scanner, crawl_slice_from((*element)->name));
        return true;
    }
    return false;
}

static inline bool same_values(const cw_html_values *a, const cw_html_values *b)
{
    bool same = a->found == b->found;
    for (unsigned left = a->found; left && same; left &= left - 1) {
        crawl_slice value = a->value[__builtin_ctz(left)];
        crawl_slice other = b->value[__builtin_ctz(left)];
        same = value.data == other.data && value.size == other.size;
    }
    return same;
}

/* Returns true if the deciding tags of a page are the same with these marks and without. */
static inline bool skims_right(cw_html_marker mark, crawl_slice page)
{
    cw_html_skimmer skimmer;
    cw_html_skimmer_start(&skimmer);
    skimmer.mark = mark;
    cw_html_scanner skimming = {page.data, page.data + page.size, false, &skimmer};
    cw_html_scanner looking = {page.data, page.data + page.size, false, NULL};
    const cw_html_element *element = NULL;
    const cw_html_element *other = NULL;
    cw_html_values values = {0};
    cw_html_values others = {0};
    for (bool more = true; more;) {
        more = next_deciding(&looking, &element, &values);
        if (next_deciding(&skimming, &other, &others) != more)
            return false;
        if (more && (element != other || looking.at != skimming.at || !same_values(&values, &others)))
            return false;
    }
    return true;
}
