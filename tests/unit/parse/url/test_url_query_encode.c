/* Queries in the encoding of their document. */
#include "tests/unit/parse/url_help.h"

#include <stdio.h>

typedef struct row {
    const char *charset;
    const char *query; /* UTF-8 */
    const char *expected;
} row;

static void check_row(const row *r)
{
    char input[256];
    char expected[256];
    snprintf(input, sizeof input, "http://h/%s", r->query);
    snprintf(expected, sizeof expected, "http://h/%s", r->expected);
    check_href(input, NULL, r->charset, expected);
}

Test(url_query_encode, charsets)
{
    static const row rows[] = {
        {NULL, "?\xc3\xa9", "?%C3%A9"},
        {"utf-8", "?\xc3\xa9", "?%C3%A9"},
        {"UTF8", "?\xc3\xa9", "?%C3%A9"},
        {"utf-16le", "?\xc3\xa9", "?%C3%A9"},
        {"no-such-charset", "?\xc3\xa9", "?%C3%A9"},
        {"replacement", "?\xc3\xa9", "?%C3%A9"},
        {"windows-1252", "?a=\xc3\xa9 '\xe2\x82\xac", "?a=%E9%20%27%80"},
        {"latin1", "?\xe2\x82\xac", "?%80"},
        {"windows-1252", "?\xc2\x81", "?%81"},
        {"windows-1252", "?\xe3\x81\x82", "?%26%2312354%3B"},
        {"windows-1258", "?\xe1\xba\xa5", "?%26%237845%3B"},
        {"windows-1258", "?\xcc\x80\xcd\x80", "?%CC%26%23832%3B"},
        {"iso-8859-8-i", "?\xd7\x90", "?%E0"},
        {"koi8-u", "?\xd1\x9e\xd0\x8e", "?%AE%BE"},
        {"macintosh", "?\xe2\x82\xac\xe2\x88\x86", "?%DB%C6"},
        {"gbk", "?\xe4\xb8\xad\xe2\x82\xac\xee\x97\xa5", "?%D6%D0%80%26%2358853%3B"},
        {"x-mac-cyrillic", "?\xe2\x82\xac\xc2\xa4", "?%FF%26%23164%3B"},
        {"gbk", "?\xee\xa0\x96\xee\xa1\x95", "?%FEQ%FE%91"},
        {"gb18030", "?\xee\xa0\xbb\xee\xa0\xb1", "?%FEv%FEl"},
        {"gb2312", "?\xf0\x9f\x92\xa9", "?%26%23128169%3B"},
        {"gb18030", "?\xf0\x9f\x92\xa9", "?%949%DA3"},
        {"big5", "?\xe4\xb8\xad\xef\xbf\xa5", "?%A4%A4%A2D"},
        {"euc-kr", "?\xea\xb0\x82", "?%81A"},
        {"euc-jp", "?\xe3\x81\x82", "?%A4%A2"},
        {"shift_jis", "?\xe3\x81\x82\xe2\x88\x92\xee\x80\x80", "?%82%A0%81|%26%2357344%3B"},
        {"iso-2022-jp",
         "?a\xe3\x81\x82"
         "b",
         "?a%1B$B$%22%1B(Bb"},
        {"iso-2022-jp", "?\xe3\x81\x82", "?%1B$B$%22%1B(B"},
        {"iso-2022-jp",
         "?\x1b"
         "a",
         "?%26%2365533%3Ba"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* Characters outside JIS X 0208 that NEC and IBM added, and halfwidth katakana. */
Test(url_query_encode, japanese)
{
    static const row rows[] = {
        {"euc-jp", "?\xe2\x91\xa0", "?%AD%A1"}, /* U+2460 */
        {"euc-jp", "?\xe2\x85\xb0", "?%FC%F1"}, /* U+2170 */
        {"euc-jp", "?\xe7\xba\x8a", "?%F9%A1"}, /* U+7E8A */
        {"euc-jp", "?\xe9\xbb\x91", "?%FC%EE"}, /* U+9ED1 */
        {"euc-jp", "?\xef\xbf\xa4", "?%FC%FC"}, /* U+FFE4 */
        {"euc-jp", "?\xe2\x85\xa0", "?%AD%B5"}, /* U+2160 */
        {"euc-jp", "?\xef\xbd\xb1", "?%8E%B1"}, /* U+FF71 */
        {"euc-jp", "?\xc2\xa5\xe2\x80\xbe", "?\\~"},
        {"euc-jp", "?\xe4\xb8\x82", "?%26%2319970%3B"}, /* U+4E02, of JIS X 0212 */
        {"euc-jp", "?\xc2\x80", "?%26%23128%3B"},
        {"shift_jis", "?\xe7\xba\x8a", "?%FA\\"},
        {"iso-2022-jp", "?\xe2\x91\xa0\xe7\xba\x8a", "?%1B$B-!y!%1B(B"},
        {"iso-2022-jp", "?\xef\xbd\xb6\xef\xbe\x9e", "?%1B$B%+!+%1B(B"}, /* U+FF76 U+FF9E */
        {"iso-2022-jp", "?a\xc2\xa5|~\xe3\x81\x82", "?a%1B(J\\|%1B(B~%1B$B$%22%1B(B"},
        {"iso-2022-jp", "?\xe3\x81\x82\xe4\xb8\x82\xe3\x81\x82", "?%1B$B$%22%1B(B%26%2319970%3B%1B$B$%22%1B(B"},
        {"iso-2022-jp", "?\xc2\xa5\xe4\xb8\x82\xc2\xa5", "?%1B(J\\%26%2319970%3B\\%1B(B"},
        {"iso-2022-jp", "?\xe3\x81\x82\x0e.", "?%1B$B$%22%1B(B%26%2365533%3B."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
}

/* Only the query, and only of http(s), ftp and file. */
Test(url_query_encode, nothing_else)
{
    check_href("http://h/\xc3\xa9?\xc3\xa9#\xc3\xa9", NULL, "windows-1252", "http://h/%C3%A9?%E9#%C3%A9");
    check_href("ws://h/?\xc3\xa9", NULL, "windows-1252", "ws://h/?%C3%A9");
    check_href("foo:x?\xc3\xa9", NULL, "windows-1252", "foo:x?%C3%A9");
    check_href("file:///?\xc3\xa9", NULL, "windows-1252", "file:///?%E9");
    check_href("?\xc3\xa9", "http://h/\xc3\xa9?\xc3\xbc", "windows-1252", "http://h/%C3%A9?%E9");
}

/* The converter is kept for the next link, and changes with the charset. */
Test(url_query_encode, charset_may_change)
{
    static const char *const charsets[] = {"windows-1252", "windows-1252", NULL, "iso-8859-2", "utf-8", "windows-1252"};
    static const char *const expected[] = {"%E9", "%E9", "%C3%A9", "%E9", "%C3%A9", "%E9"};
    crawl_url *url = crawl_url_create();
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++) {
        cr_assert_eq(crawl_url_parse(url, SLICE("http://h/?\xc3\xa9"), NULL, charsets[i]), CRAWL_OK);
        cr_expect(crawl_slice_equal(crawl_url_query(url), crawl_slice_from(expected[i])), "%zu", i);
    }
    crawl_url_free(url);
}
