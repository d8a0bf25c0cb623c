/* See href.h. Every answer except UNSURE is certain. UNSURE covers whatever needs more than a glance: white space that
 * the parser drops, hosts that are numbers or not ASCII, users. */
#include "crawler/engine/links/href.h"

#include "base/bytes.h"

static bool href_is_scheme(char c)
{
    return cw_is_alpha((unsigned char)c) || cw_is_digit((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

static bool href_is_host(char c)
{
    return href_is_scheme(c) && c != '+';
}

/* Returns true if the parser might drop the character. */
static bool may_vanish(char c)
{
    return (unsigned char)c <= ' ';
}

/* Returns the size of the scheme of a text that begins with a letter and contains a colon. */
static size_t scheme_size(crawl_slice href)
{
    size_t size = 1;
    while (href_is_scheme(href.data[size]))
        size++;
    return size;
}

/* Returns the size of the name of letters, digits and hyphens that the text begins with; 0: there is none, or its last
 * label may make it an IPv4 address, or it has Punycode that would have to be valid. */
static size_t plain_host_size(crawl_slice text)
{
    enum { LONGEST = 253 };
    size_t label = 0; /* where the last label begins */
    size_t size = 0;
    for (; size < text.size && href_is_host(text.data[size]); size++) {
        bool ends_label = text.data[size] == '.';
        bool is_punycode = text.data[size] == '-' && size && text.data[size - 1] == '-';
        if (is_punycode || (ends_label && size == label))
            return 0;
        label = ends_label ? size + 1 : label;
    }
    return size <= LONGEST && label < size && cw_is_alpha((unsigned char)text.data[label]) ? size : 0;
}

static bool ends_authority(crawl_slice text, size_t at)
{
    return at == text.size || text.data[at] == '/' || text.data[at] == '?' || text.data[at] == '#';
}

/* Returns true if the text begins with "//name" or "//name:port", with a name that is certain. */
static bool has_plain_authority(crawl_slice text)
{
    enum { SURE_DIGITS = 4 };
    if (text.size < 2 || text.data[0] != '/' || text.data[1] != '/')
        return false;
    text = crawl_slice_of(text.data + 2, text.size - 2);
    size_t at = plain_host_size(text);
    if (at && at < text.size && text.data[at] == ':') {
        size_t port = ++at;
        while (at < text.size && at - port < SURE_DIGITS && cw_is_digit((unsigned char)text.data[at]))
            at++;
    }
    return at && ends_authority(text, at);
}

/* scheme: without its colon; rest: the text after the colon. */
static cw_links_href look_behind(crawl_slice scheme, crawl_slice rest)
{
    static const char *const with_host[] = {"ftp", "file", "ws", "wss"};
    if (cw_equal_nocase(scheme, crawl_slice_from("http")) || cw_equal_nocase(scheme, crawl_slice_from("https")))
        return has_plain_authority(rest) ? CW_LINKS_HREF_HTTP : CW_LINKS_HREF_UNSURE;
    for (size_t i = 0; i < sizeof with_host / sizeof *with_host; i++)
        if (cw_equal_nocase(scheme, crawl_slice_from(with_host[i])))
            return CW_LINKS_HREF_UNSURE;
    bool has_path = rest.size && (rest.data[0] == '/' || may_vanish(rest.data[0]));
    return has_path ? CW_LINKS_HREF_UNSURE : CW_LINKS_HREF_OTHER;
}

cw_links_href cw_links_href_look(crawl_slice href)
{
    if (href.size == 0)
        return CW_LINKS_HREF_RELATIVE;
    if (may_vanish(href.data[0]))
        return CW_LINKS_HREF_UNSURE;
    if (href.data[0] == '/' || href.data[0] == '\\') {
        char next = href.size > 1 ? href.data[1] : 'x';
        return next == '/' || next == '\\' || may_vanish(next) ? CW_LINKS_HREF_UNSURE : CW_LINKS_HREF_RELATIVE;
    }
    if (!cw_is_alpha((unsigned char)href.data[0]) || !memchr(href.data, ':', href.size))
        return CW_LINKS_HREF_RELATIVE;
    size_t size = scheme_size(href);
    if (href.data[size] == ':')
        return look_behind(crawl_slice_of(href.data, size), crawl_slice_of(href.data + size + 1, href.size - size - 1));
    /* A line break may occur within a scheme. */
    return may_vanish(href.data[size]) ? CW_LINKS_HREF_UNSURE : CW_LINKS_HREF_RELATIVE;
}
