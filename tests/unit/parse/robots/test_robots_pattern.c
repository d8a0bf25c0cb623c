#include "base/bytes.h"
#include "parse/robots/robots_private.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void assert_normal(const char *path, bool pattern, const char *expected)
{
    char out[64];
    size_t size = cw_robots_normalize(crawl_slice_from(path), pattern, out);
    cr_assert(crawl_slice_equal(crawl_slice_of(out, size), crawl_slice_from(expected)), "%s: %.*s", path, (int)size,
              out);
}

Test(robots_pattern, normal_form)
{
    assert_normal("", false, "");
    assert_normal("/a-Z0._~", false, "/a-Z0._~");
    assert_normal("/:?#[]@!&'()+,;=", false, "/:?#[]@!&'()+,;=");
    assert_normal("%3a%2f%3F", false, "%3A%2F%3F");
    assert_normal("%61%7e%2D%5f", false, "a~-_");
    assert_normal("/*$", false, "/%2A%24");
    assert_normal("/*$", true, "/*%24");
    assert_normal("/%2a%24", true, "/%2A%24");
    assert_normal("\xc3\xa9%C3%a9", true, "%C3%A9%C3%A9");
    assert_normal(" \"<>\\^`{|}\x7f\x01", false, "%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F%01");
    assert_normal("%7c", false, "%7C");
    assert_normal("%", false, "%25");
    assert_normal("%2", false, "%252");
    assert_normal("%zz%4", false, "%25zz%254");
    assert_normal("%%61", false, "%25a");
    assert_normal("%25", false, "%25");
    assert_normal("%00", false, "%00");
}

/* Normal forms of all two-byte texts are normal: normalizing them again changes nothing. */
Test(robots_pattern, normal_form_is_idempotent)
{
    for (unsigned i = 0; i < 0x10000; i++) {
        char in[3] = {'%', (char)(i >> 8), (char)i};
        char once[9], twice[27];
        size_t size = cw_robots_normalize(crawl_slice_of(in, 3), false, once);
        cr_assert_leq(size, sizeof once);
        size_t again = cw_robots_normalize(crawl_slice_of(once, size), false, twice);
        cr_assert(crawl_slice_equal(crawl_slice_of(once, size), crawl_slice_of(twice, again)), "%04x", i);
    }
}

static bool matches(const char *pattern, bool anchored, const char *path)
{
    return cw_robots_match(crawl_slice_from(pattern), anchored, crawl_slice_from(path));
}

Test(robots_pattern, matches)
{
    static const struct {
        const char *pattern;
        bool anchored;
        const char *path;
        bool match;
    } rows[] = {
        {"/", false, "/a", true},       {"/a", false, "/", false},         {"/", true, "/", true},
        {"/", true, "/a", false},       {"*", false, "/", true},           {"*", true, "/a", true},
        {"/a*", true, "/a", true},      {"/a*b", true, "/ab", true},       {"/a*b", true, "/abxb", true},
        {"/a*b", true, "/abx", false},  {"/a*b", false, "/abx", true},     {"/a*ab", true, "/ab", false},
        {"/a*ab", true, "/aab", true},  {"/*a*b*c", false, "/cba", false}, {"/*a*b*c", false, "/xaxbxcx", true},
        {"/*aa", true, "/aaa", true},   {"/**x**y", true, "/xy", true},    {"/*ab*ab", true, "/ab", false},
        {"/*ab*b", true, "/ab", false}, {"/*ab*b", true, "/abb", true},    {"/*.gif", true, "/a.gif.gif", true},
        {"*x", false, "/ab", false},    {"/a**", true, "/abc", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(matches(rows[i].pattern, rows[i].anchored, rows[i].path), rows[i].match, "row %zu: %s %s", i,
                     rows[i].pattern, rows[i].path);
}

/* The definition of a match, slow and plain. */
static bool matches_plainly(const char *pattern, bool anchored, const char *path)
{
    if (!*pattern)
        return !anchored || !*path;
    if (*pattern == '*')
        return matches_plainly(pattern + 1, anchored, path) || (*path && matches_plainly(pattern, anchored, path + 1));
    return *pattern == *path && matches_plainly(pattern + 1, anchored, path + 1);
}

/* Writes number in base count with the given digits. */
static void spell(unsigned number, const char *digits, unsigned count, char *out)
{
    for (; number; number /= count)
        *out++ = digits[number % count];
    *out = '\0';
}

/* All patterns of up to five of "ab*" against all paths of up to six of "ab". */
Test(robots_pattern, matches_as_defined)
{
    char pattern[16], path[16];
    for (unsigned i = 0; i < 1024; i++) {
        spell(i, "\0ab*", 4, pattern);
        for (unsigned j = 0; j < 729; j++) {
            spell(j, "\0ab", 3, path);
            for (unsigned anchored = 0; anchored < 2; anchored++)
                cr_assert_eq(matches(pattern, anchored, path), matches_plainly(pattern, anchored, path), "%s %u %s",
                             pattern, anchored, path);
        }
    }
}

/* Returns rules made to be slow: 500 KiB with as many wildcards as fit, none of which matches, for the longest URL.
 * Trying each wildcard at each place would never end; even one pass per rule would take seconds per URL. */
static crawl_robots *hostile_robots(const char *rule)
{
    crawl_buf body = {0};
    crawl_robots *robots = NULL;
    cr_assert_eq(crawl_buf_append_text(&body, "User-agent: *\n"), CRAWL_OK);
    while (body.size < CRAWL_ROBOTS_MAX_SIZE)
        cr_assert_eq(crawl_buf_append_text(&body, rule), CRAWL_OK);
    cr_assert_eq(crawl_robots_parse(crawl_buf_slice(&body), crawl_slice_from("bot"), &robots), CRAWL_OK);
    crawl_buf_free(&body);
    return robots;
}

static crawl_slice long_path(crawl_buf *path)
{
    cr_assert_eq(crawl_buf_reserve(path, CRAWL_URL_MAX_INPUT), CRAWL_OK);
    memset(path->data, 'a', CRAWL_URL_MAX_INPUT);
    path->data[0] = '/';
    path->size = CRAWL_URL_MAX_INPUT;
    return crawl_buf_slice(path);
}

Test(robots_pattern, hostile_files_end)
{
    static const char *const rules[] = {
        "Disallow: /*b\n",
        "Disallow: /*a*a*a*a*a*a*a*a*a*a*a*a*b\n",
        "Disallow: /*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        "Disallow: /****************************************************b$\n",
    };
    crawl_buf path = {0};
    crawl_slice subject = long_path(&path);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        crawl_robots *robots = hostile_robots(rules[i]);
        crawl_robots_verdict verdict = cw_robots_decide(robots, subject);
        cr_assert_not(verdict.allowed);
        cr_assert_eq(verdict.line, 0);
        cr_assert(cw_robots_decide(robots, crawl_slice_from("/an/ordinary/path")).allowed);
        cr_assert_lt(crawl_robots_bytes(robots), 3u << 20);
        crawl_robots_free(robots);
    }
    crawl_buf_free(&path);
}

/* One rule of the maximum length, all wildcards. */
Test(robots_pattern, one_rule_of_many_wildcards)
{
    crawl_buf pattern = {0};
    crawl_buf path = {0};
    for (int i = 0; i < 8000; i++)
        crawl_buf_append_text(&pattern, "*a");
    crawl_slice subject = long_path(&path);
    cr_assert(cw_robots_match(crawl_buf_slice(&pattern), false, subject));
    crawl_buf_append_text(&pattern, "b");
    cr_assert_not(cw_robots_match(crawl_buf_slice(&pattern), false, subject));
    crawl_buf_free(&pattern);
    crawl_buf_free(&path);
}
