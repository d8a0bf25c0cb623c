#include "tools/common/messages/wrap.h"

#include "base/bytes.h"
#include "base/utf8.h"

static unsigned wrap_columns_of(crawl_slice text)
{
    unsigned count = 0;
    for (size_t at = 0; at < text.size; count++)
        at += cw_utf8_next(text.data + at, text.data + text.size).size;
    return count;
}

/* Cuts the blanks, or the other characters, off the start. */
static crawl_slice wrap_cut(crawl_slice *rest, bool is_blank)
{
    size_t size = 0;
    while (size < rest->size && (rest->data[size] == ' ') == is_blank)
        size++;
    crawl_slice part = crawl_slice_of(rest->data, size);
    *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return part;
}

void cw_message_wrap(crawl_slice line, unsigned columns, cw_writer *out)
{
    enum { LABEL = 12, PLAIN = 2, NARROW = 40 }; /* lines of a summary begin with a label of so many columns */
    unsigned indent = columns < NARROW ? 0 : cw_starts_with(line, "  ") ? LABEL : PLAIN;
    unsigned used = 0;
    bool is_command = false;
    while (line.size) {
        crawl_slice gap = wrap_cut(&line, true);
        crawl_slice word = is_command && cw_starts_with(line, "crawl ") ? line : wrap_cut(&line, false);
        if (word.data == line.data)
            line.size = 0;
        unsigned size = wrap_columns_of(word);
        if (used > indent && used + gap.size + size >= columns && indent + size < columns) {
            cw_put_format(out, "\n%*s", (int)indent, "");
            used = indent;
        } else {
            cw_put(out, gap);
            used += (unsigned)gap.size;
        }
        cw_put(out, word);
        used += size;
        is_command = cw_ends_with(word, ":");
    }
}
