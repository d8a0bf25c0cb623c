/* Reads llms.txt (llmstxt.org), a line at a time: Markdown with one title (H1), prose, and sections (H2) of lists whose
 * items have a link each. The link of an item in a section is an entry, wherever in the item it is; other links are
 * prose. Links under "Optional" have the lowest priority. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

static bool llms_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Removes the mark of a heading, and returns its level. 0: the line is not a heading. */
static size_t llms_take_heading(crawl_slice *line)
{
    size_t level = 0;
    while (level < line->size && line->data[level] == '#')
        level++;
    if (level < line->size && !llms_is_blank(line->data[level]))
        return 0;
    *line = cw_trim(cw_drop(*line, level));
    while (level && line->size && line->data[line->size - 1] == '#')
        line->size--;
    *line = cw_trim(*line);
    return level;
}

/* Removes the mark of a list item, "-", "*", "+", "1." or "1)", from a line. false: there is none. */
static bool llms_take_item(crawl_slice *line)
{
    size_t digits = 0;
    while (digits < line->size && cw_is_digit((unsigned char)line->data[digits]))
        digits++;
    crawl_slice rest = cw_drop(*line, digits);
    if (rest.size < 2 || !memchr(digits ? ".)" : "-*+", rest.data[0], digits ? 2 : 3) || !llms_is_blank(rest.data[1]))
        return false;
    *line = cw_drop(rest, 1);
    return true;
}

/* Returns where the destination of the first link "[name](destination)" begins; line.size: there is no link. Names may
 * contain brackets, and images, which are not links. */
static size_t llms_find_link(crawl_slice line)
{
    uint64_t images = 0; /* a bit per open bracket, the innermost lowest */
    size_t open = 0;
    for (size_t i = 0; i + 1 < line.size; i++) {
        if (line.data[i] == '\\') {
            i++;
        } else if (line.data[i] == '[') {
            images = images << 1 | (i && line.data[i - 1] == '!');
            open++;
        } else if (line.data[i] == ']' && open) {
            if (line.data[i + 1] == '(' && !(images & 1))
                return i + 2;
            images >>= 1;
            open--;
        }
    }
    return line.size;
}

/* Returns the destination at the front, without a title; empty: the link has no end. */
static crawl_slice llms_destination_of(crawl_slice text)
{
    size_t size = 0;
    size_t open = 0;
    text = cw_trim_start(text);
    if (cw_take_text(&text, "<")) {
        size = cw_find_char(text, '>');
    } else {
        for (; size < text.size && !llms_is_blank(text.data[size]) && (text.data[size] != ')' || open); size++)
            open += (text.data[size] == '(') - (text.data[size] == ')');
    }
    bool is_closed = cw_find_char(cw_drop(text, size), ')') < text.size - size;
    return crawl_slice_of(text.data, is_closed ? size : 0);
}

/* Adds the destination to the entry. A backslash before punctuation stands for the character after it. */
static crawl_err llms_collect(cw_sitemap_entry_text *entry, crawl_slice destination)
{
    crawl_err err = CRAWL_OK;
    while (destination.size && !err) {
        err = cw_sitemap_collect(entry, CW_SITEMAP_LOC, cw_take(&destination, cw_find_char(destination, '\\')));
        bool escapes = destination.size > 1 && !cw_is_alnum((unsigned char)destination.data[1]);
        destination = cw_drop(destination, escapes);
        if (!err && destination.size)
            err = cw_sitemap_collect(entry, CW_SITEMAP_LOC, cw_take(&destination, 1));
    }
    return err;
}

static crawl_err llms_read_item(crawl_sitemap *sitemap, crawl_slice item)
{
    crawl_slice destination = llms_destination_of(cw_drop(item, llms_find_link(item)));
    if (!destination.size)
        return CRAWL_OK;
    sitemap->stats.type = CRAWL_SITEMAP_LLMS;
    cw_sitemap_clear_entry(&sitemap->entry);
    crawl_err err = llms_collect(&sitemap->entry, destination);
    if (!err && sitemap->llms.is_optional)
        err = cw_sitemap_collect(&sitemap->entry, CW_SITEMAP_PRIORITY, crawl_slice_from("0"));
    return err ? err : cw_sitemap_emit(sitemap, false, true);
}

static void llms_on_heading(crawl_sitemap *sitemap, size_t level, crawl_slice text)
{
    if (level == 1) {
        sitemap->stats.type = CRAWL_SITEMAP_LLMS;
        sitemap->llms.titles++;
    } else if (level == 2) {
        sitemap->llms.in_section = true;
        sitemap->llms.is_optional = cw_is_nocase(text, "optional");
    }
}

/* Returns true for a line of a block of code, and for those that open and close it (CommonMark 0.31.2, 4.5). */
static bool llms_is_code(crawl_sitemap *sitemap, crawl_slice line)
{
    enum { SHORTEST = 3 };
    char mark = line.size ? line.data[0] : '\0';
    size_t size = 0;
    while (size < line.size && line.data[size] == mark)
        size++;
    crawl_slice after = cw_drop(line, size);
    if (sitemap->llms.fence_size) {
        if (mark == sitemap->llms.fence && size >= sitemap->llms.fence_size && !after.size)
            sitemap->llms.fence_size = 0;
        return true;
    }
    if (size < SHORTEST || (mark != '~' && (mark != '`' || cw_find_char(after, '`') < after.size)))
        return false;
    sitemap->llms.fence = mark;
    sitemap->llms.fence_size = size;
    return true;
}

crawl_err cw_sitemap_llms_line(crawl_sitemap *sitemap, crawl_slice line)
{
    if (llms_is_code(sitemap, line))
        return CRAWL_OK;
    size_t level = llms_take_heading(&line);
    if (level)
        llms_on_heading(sitemap, level, line);
    else if (sitemap->llms.in_section && llms_take_item(&line))
        return llms_read_item(sitemap, line);
    return CRAWL_OK;
}

void cw_sitemap_llms_end(crawl_sitemap *sitemap)
{
    sitemap->stats.broken |= sitemap->options.is_llms && sitemap->llms.titles != 1;
}
