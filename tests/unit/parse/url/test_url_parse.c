/* The parser's states, by their results. tests/conformance has all of the standard's own cases, if available. */
#include "tests/unit/parse/url_help.h"

typedef struct row {
    const char *input;
    const char *base;
    const char *expected;
} row;

static void check_rows(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_href(rows[i].input, rows[i].base, NULL, rows[i].expected);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

Test(url_parse, schemes)
{
    static const row rows[] = {
        {"HTTP://h", NULL, "http://h/"},
        {"http:h", NULL, "http://h/"},
        {"http:////\\h/x", NULL, "http://h/x"},
        {"http:x", "http://h/a/b", "http://h/a/x"},
        {"https:x", "http://h/a/b", "https://x/"},
        {"http:/x", "http://h/a/b", "http://h/x"},
        {"a+b-1.c:x", NULL, "a+b-1.c:x"},
        {"1a:x", "http://h/", "http://h/1a:x"},
        {"h", NULL, "failure"},
        {"foo:/x", NULL, "foo:/x"},
        {"foo://x", NULL, "foo://x"},
        {"foo:x  ?q", NULL, "foo:x %20?q"},
    };
    CHECK_ROWS(rows);
}

Test(url_parse, references)
{
    static const row rows[] = {
        {"", "http://h/a?b#c", "http://h/a?b"},
        {"#d", "http://h/a?b#c", "http://h/a?b#d"},
        {"?d", "http://h/a?b#c", "http://h/a?d"},
        {"d", "http://h/a/b?b#c", "http://h/a/d"},
        {"/d", "http://u@h:81/a/b", "http://u@h:81/d"},
        {"//i/d", "https://u@h:81/a", "https://i/d"},
        {"\\\\i\\d", "https://h/a", "https://i/d"},
        {"..", "http://h/a/b/c", "http://h/a/"},
        {"../..", "http://h/a/b/c", "http://h/"},
        {"../../..", "http://h/a", "http://h/"},
        {"d", "http://h", "http://h/d"},
        {"d", "mailto:x", "failure"},
        {"#d", "mailto:x", "mailto:x#d"},
        {"//i/d", "foo://h/a", "foo://i/d"},
        {"\\d", "foo://h/a/b", "foo://h/a/\\d"},
        {"d", "foo:/a/b", "foo:/a/d"},
        {"..//d", "foo:/a/b", "foo:/.//d"},
        {"d", "foo:/.//a", "foo:/.//d"},
        {"../d", "foo:/.//a/b", "foo:/.//d"},
    };
    CHECK_ROWS(rows);
}

Test(url_parse, authorities)
{
    static const row rows[] = {
        {"http://u@h/", NULL, "http://u@h/"},
        {"http://:p@h/", NULL, "http://:p@h/"},
        {"http://@h/", NULL, "http://h/"},
        {"http://:@h/", NULL, "http://h/"},
        {"http://u:@h/", NULL, "http://u@h/"},
        {"http://a@b:c@h/", NULL, "http://a%40b:c@h/"},
        {"http://a:b:c@h/", NULL, "http://a:b%3Ac@h/"},
        {"http://u@/", NULL, "failure"},
        {"http://h:/", NULL, "http://h/"},
        {"http://h:080/", NULL, "http://h/"},
        {"http://h:65536/", NULL, "failure"},
        {"http://h:8a/", NULL, "failure"},
        {"http://:80/", NULL, "failure"},
        {"foo://:80/", NULL, "failure"},
        {"foo://h:80/", NULL, "foo://h:80/"},
        {"foo:///x", NULL, "foo:///x"},
        {"http://[::1]:8080", NULL, "http://[::1]:8080/"},
        {"http://h\\@x", NULL, "http://h/@x"},
        {"foo://h\\x/", NULL, "failure"},
    };
    CHECK_ROWS(rows);
}

Test(url_parse, paths)
{
    static const row rows[] = {
        {"http://h/a/./b/../c", NULL, "http://h/a/c"},
        {"http://h/%2e/%2E%2e/a/.%2e/b/%2e", NULL, "http://h/b/"},
        {"http://h/..a/.b/...", NULL, "http://h/..a/.b/..."},
        {"http://h/a//../b", NULL, "http://h/a/b"},
        {"http://h/\\a\\..\\b", NULL, "http://h//b"},
        {"http://h/a b\"<>^`{|}[]'", NULL, "http://h/a%20b%22%3C%3E%5E%60%7B|%7D[]'"},
        {"http://h/%zz%4", NULL, "http://h/%zz%4"},
        {"http://h/\xc3\xa9", NULL, "http://h/%C3%A9"},
        {"http://h?q", NULL, "http://h/?q"},
        {"http://h#f", NULL, "http://h/#f"},
        {"foo://h?q", NULL, "foo://h?q"},
        {"foo://h/a/../..", NULL, "foo://h/"},
    };
    CHECK_ROWS(rows);
}

Test(url_parse, files)
{
    static const row rows[] = {
        {"file:a", NULL, "file:///a"},
        {"file://h/a", NULL, "file://h/a"},
        {"file://localhost/a", NULL, "file:///a"},
        {"file:///C|/a/../..", NULL, "file:///C:/"},
        {"file://C:/a", NULL, "file:///C:/a"},
        {"/x", "file:///C:/a/b", "file:///C:/x"},
        {"x", "file:///C:/a/b", "file:///C:/a/x"},
        {"D:", "file:///C:/a", "d:"},
        {"D|/x", "file:///C:/a", "file:///D:/x"},
        {"..", "file:///C:/", "file:///C:/"},
        {"//h/x", "file:///C:/a", "file://h/x"},
        {"?q", "file:///a", "file:///a?q"},
        {"file://h:80/", NULL, "failure"},
        {"file://u@h/", NULL, "failure"},
    };
    CHECK_ROWS(rows);
}

Test(url_parse, removes_what_the_standard_removes)
{
    static const row rows[] = {
        {" \t\nhttp://h/a \r\n", NULL, "http://h/a"},
        {"ht\ntp:\t//e\rx/a\n b", NULL, "http://ex/a%20b"},
        {"http://h/\x1f\x0b"
         "a",
         NULL, "http://h/%1F%0Ba"},
        {"http://h/a\x0b", NULL, "http://h/a"},
    };
    CHECK_ROWS(rows);
}

static char *repeated(const char *before, const char *text, size_t count)
{
    size_t size = strlen(text);
    char *all = malloc(strlen(before) + count * size + 1);
    cr_assert(all);
    char *to = stpcpy(all, before);
    for (size_t i = 0; i < count; i++)
        to = stpcpy(to, text);
    return all;
}

Test(url_parse, deep_dot_segments)
{
    char *up = repeated("http://h/a", "/..", 20000);
    char *down = repeated("http://h", "/a/%2e%2e", 7000);
    char *kept = repeated("http://h", "/.a", 20000);
    check_href(up, NULL, NULL, "http://h/");
    check_href(down, NULL, NULL, "http://h/");
    check_href(kept, NULL, NULL, kept);
    free(up);
    free(down);
    free(kept);
}
