/* Balances the tags of a sitemap. When an element ends, elements still open inside it are ended first; an end tag that
 * ends nothing is dropped; an entry directly inside another of its name ends that one first; and in a tag only the
 * well-formed attributes after its name are kept. Each of these repairs marks the file as broken. So the parser reads
 * the whole file as if it were well-formed. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

/* Tags with more bytes or more attributes, and deeper ones, lose their attributes. libxml2 looks for the namespace of
 * an element among those of all open ones; in real files an entry and its links are at a depth of three or four. */
enum { MAX_TAG = 32768, MAX_VALUES = 128, DEEPEST_WITH_ATTRIBUTES = 12 };

enum { MAX_NAME = 128 };

static bool is_name_byte(unsigned char c)
{
    return cw_is_alnum(c) || c == '_' || c == ':' || c == '-' || c == '.' || c >= 0x80;
}

static size_t name_size(crawl_slice text)
{
    size_t size = 0;
    while (size < text.size && is_name_byte((unsigned char)text.data[size]))
        size++;
    return size;
}

static size_t space_size(crawl_slice text)
{
    return text.size - cw_trim_start(text).size;
}

/* Returns the size of the attribute at the start of text, including the white space before it. 0: there is no
 * well-formed one. */
static size_t attribute_size(crawl_slice text)
{
    size_t space = space_size(text);
    size_t name = name_size(cw_drop(text, space));
    size_t at = space + name;
    at += space_size(cw_drop(text, at));
    if (!space || !name || at == text.size || text.data[at] != '=')
        return 0;
    at++;
    at += space_size(cw_drop(text, at));
    if (at == text.size || (text.data[at] != '"' && text.data[at] != '\''))
        return 0;
    const char *close = memchr(text.data + at + 1, text.data[at], text.size - at - 1);
    return close ? (size_t)(close + 1 - text.data) : 0;
}

static size_t attributes_size(crawl_slice text)
{
    size_t size = 0;
    for (size_t one; (one = attribute_size(cw_drop(text, size))) > 0;)
        size += one;
    return size;
}

/* Writes the name of an element. All names that matter are ASCII; other bytes become "_", so that the parser accepts
 * every name and only its length counts. */
static crawl_err sitemap_tags_put_name(cw_sitemap_filter *filter, crawl_slice name)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < name.size && !err; i++)
        err = crawl_buf_append_char(&filter->clean, (unsigned char)name.data[i] < 0x80 ? name.data[i] : '_');
    return err;
}

static crawl_err sitemap_tags_push(cw_sitemap_filter *filter, crawl_slice name)
{
    if (filter->depth == CW_SITEMAP_MAX_DEPTH || name.size > MAX_NAME)
        return CRAWL_EPARSE;
    filter->name_sizes[filter->depth++] = (uint8_t)name.size;
    return crawl_buf_append(&filter->names, name.data, name.size);
}

/* Closes the innermost element: removes its name, and writes its end tag. */
static crawl_err pop(cw_sitemap_filter *filter)
{
    size_t size = filter->name_sizes[--filter->depth];
    crawl_buf *names = &filter->names;
    names->size -= size;
    crawl_err err = crawl_buf_append_text(&filter->clean, "</");
    if (!err)
        err = sitemap_tags_put_name(filter, crawl_slice_of(names->data + names->size, size));
    return err ? err : crawl_buf_append_char(&filter->clean, '>');
}

/* Returns the depth of the innermost open element with this name. 0: no element has it. */
static unsigned sitemap_tags_level_of(const cw_sitemap_filter *filter, crawl_slice name)
{
    size_t end = filter->names.size;
    for (unsigned level = filter->depth; level; level--) {
        size_t size = filter->name_sizes[level - 1];
        end -= size;
        if (cw_equal_nocase(crawl_slice_of(filter->names.data + end, size), name))
            return level;
    }
    return 0;
}

static crawl_err end_element(cw_sitemap_filter *filter, crawl_slice name)
{
    unsigned level = sitemap_tags_level_of(filter, name);
    filter->broken |= level == 0 || level != filter->depth;
    crawl_err err = CRAWL_OK;
    while (level && filter->depth >= level && !err)
        err = pop(filter);
    return err;
}

/* Ends the innermost element if it is an entry and another one begins: the end tag is missing, and probably in every
 * entry, so that they would be nested too deep. */
static crawl_err end_entry_before(cw_sitemap_filter *filter, crawl_slice name)
{
    static const char *const entries[] = {"url", "sitemap", "item", "entry"};
    size_t colon = cw_find_char(name, ':');
    crawl_slice local = colon < name.size ? cw_drop(name, colon + 1) : name;
    if (!cw_is_among(local, entries, sizeof entries / sizeof *entries) || !filter->depth ||
        sitemap_tags_level_of(filter, name) != filter->depth)
        return CRAWL_OK;
    filter->broken = true;
    return pop(filter);
}

static crawl_err begin_element(cw_sitemap_filter *filter, crawl_slice name, crawl_slice rest)
{
    bool empty = rest.size && rest.data[rest.size - 1] == '/';
    rest.size -= empty;
    size_t sound = attributes_size(rest);
    filter->broken |= sound + space_size(cw_drop(rest, sound)) < rest.size;
    crawl_err err = end_entry_before(filter, name);
    if (rest.size > MAX_TAG || filter->values > MAX_VALUES || filter->depth >= DEEPEST_WITH_ATTRIBUTES)
        sound = 0;
    if (!err && !empty)
        err = sitemap_tags_push(filter, name);
    if (!err)
        err = crawl_buf_append_char(&filter->clean, '<');
    if (!err)
        err = sitemap_tags_put_name(filter, name);
    if (!err)
        err = cw_sitemap_filter_escape(filter, crawl_slice_of(rest.data, sound));
    return err ? err : crawl_buf_append_text(&filter->clean, empty ? "/>" : ">");
}

crawl_err cw_sitemap_tag(cw_sitemap_filter *filter, crawl_slice tag)
{
    bool closes = tag.data[1] == '/';
    size_t start = closes ? 2 : 1;
    crawl_slice inside = crawl_slice_of(tag.data + start, tag.size - start - 1);
    size_t size = name_size(inside);
    crawl_slice name = crawl_slice_of(inside.data, size);
    return closes ? end_element(filter, name) : begin_element(filter, name, cw_drop(inside, size));
}
