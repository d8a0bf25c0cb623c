/* Paths of an offline copy: those shown in docs/mirror.md, and the guarantees for hostile names: they stay inside, no
 * two are one file, and every file system accepts them. */
#include "base/bytes.h"
#include "crawler/output/mirror/path.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* The caller frees the result. */
static char *marked_path_of(char mark, const char *href, const char *type)
{
    crawl_buf path = {0};
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from(href), NULL, NULL), CRAWL_OK, "%s", href);
    cr_assert_eq(cw_mirror_path(mark, url, crawl_slice_from(type), &path), CRAWL_OK, "%s", href);
    crawl_url_free(url);
    return path.data;
}

static char *path_of(const char *href, const char *type)
{
    return marked_path_of(CW_MIRROR_MARK, href, type);
}

static const struct {
    const char *url;
    const char *type;
    const char *path;
} shown[] = {
    {"https://example.com/", "text/html", "example.com/index.html"},
    {"https://example.com/index.html", "text/html", "example.com/index+n.html"},
    {"https://example.com/index", "text/html", "example.com/index+n+.html"},
    {"https://example.com/a/", "text/html; charset=utf-8", "example.com/a/index.html"},
    {"https://example.com/feed/", "application/rss+xml", "example.com/feed/index+.xml"},
    {"http://example.com/a.html", "text/html", "example.com+http/a.html"},
    {"http://example.com:8080/a.html", "text/html", "example.com+http8080/a.html"},
    {"https://example.com:8443/a.html", "text/html", "example.com+https8443/a.html"},
    {"https://[::1]/a.html", "text/html", "[--1]/a.html"},
    {"https://example.com/about", "text/html", "example.com/about+.html"},
    {"https://example.com/about.html", "text/html", "example.com/about.html"},
    {"https://example.com/about.html/team", "text/html", "example.com/about.html+d/team+.html"},
    {"https://example.com/3.11/os.html", "text/html", "example.com/3.11/os.html"},
    {"https://example.com/3.11", "text/html", "example.com/3.11+.html"},
    {"https://example.com/show.php?id=7&b=/", "text/html", "example.com/show.php+qid=7&b=+2f+.html"},
    {"https://example.com/?p=1", "text/html", "example.com/index+qp=1+.html"},
    {"https://example.com/?", "text/html", "example.com/index+q+.html"},
    {"https://example.com/site.css?v=3", "text/css", "example.com/site.css+qv=3+.css"},
    {"https://example.com/README.md", "text/markdown", "example.com/README+ufc.md"},
    {"https://example.com/readme.md", "text/markdown", "example.com/readme.md"},
    {"https://example.com/M%C3%BCnchen", "text/html", "example.com/M%C3%BCnchen+u8+.html"},
    {"https://example.com/Docs/a.html", "text/html", "example.com/Docs+u8/a.html"},
    {"https://example.com/LICENSE", "text/plain", "example.com/LICENSE+ufe+.txt"},
    {"https://example.com/a.html", "text/plain", "example.com/a.html+.txt"},
    {"https://example.com/a.tar.xz", "application/x-xz", "example.com/a.tar.xz"},
    {"https://example.com/data", "", "example.com/data+.bin"},
    {"https://example.com/photo.jpg", "image/png", "example.com/photo.jpg+.png"},
    {"https://example.com/photo", "image/jpg", "example.com/photo+.jpg"},
    {"https://example.com/site.webmanifest", "application/manifest+json", "example.com/site.webmanifest"},
    {"https://example.com/con.html", "text/html", "example.com/+63on.html"},
    {"https://example.com/a./b", "text/html", "example.com/a+2e/b+.html"},
    {"https://example.com/a//b", "text/html", "example.com/a/+e/b+.html"},
    {"https://example.com/a%2Fb.html", "text/html", "example.com/a%2Fb.html"},
    {"https://example.com/a!b.html", "text/html", "example.com/a+21b.html"},
    {"https://example.com/a+b.html", "text/html", "example.com/a+2bb.html"},
    {"https://user:word@example.com/a.html", "text/html", "example.com/a.html"},
};

Test(mirror_path, is_the_one_that_the_document_shows)
{
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char *path = path_of(shown[i].url, shown[i].type);
        cr_expect_str_eq(path, shown[i].path, "%s: %s, not %s", shown[i].url, path, shown[i].path);
        free(path);
    }
}

Test(mirror_path, of_a_copy_that_an_older_version_began_has_its_mark)
{
    static const char *const rows[][2] = {
        {"https://example.com/show.php?id=7&b=/", "example.com/show.php!qid=7&b=!2f!.html"},
        {"http://example.com/A+b/index.html", "example.com!http/A+b!u8/index!n.html"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = marked_path_of(CW_MIRROR_OLD_MARK, rows[i][0], "text/html");
        cr_expect_str_eq(path, rows[i][1]);
        free(path);
    }
}

/* Paths after "https://h.example"; each is another URL. */
static const char *const hostile[] = {
    "/..%2f..%2fetc/passwd",
    "/%2e%2e%2fx",
    "/..%5c..%5cx",
    "/%00",
    "/a%00.html",
    "/a%00b/c",
    "/...",
    "/..../x",
    "/a...",
    "/a./",
    "/a../",
    "/a.",
    "/a",
    "/a/",
    "/a/b",
    "/a.html",
    "/a.html/",
    "/a.html/b",
    "/A",
    "/A/",
    "/A/b",
    "/a/B",
    "/A.html",
    "/a.HTML",
    "/a.Html",
    "/CON",
    "/con",
    "/con.txt",
    "/Con.TXT",
    "/aux/",
    "/aux/nul",
    "/nul.",
    "/COM1",
    "/lpt9.html",
    "/clock$",
    "/a%20",
    "/a%20.",
    "/%20a",
    "/a%2Fb",
    "/a%2fb",
    "/a%5Cb",
    "/a:b",
    "/a|b",
    "/a*b",
    "/a%3Fb",
    "/a?b",
    "/a?b=",
    "/a??",
    "/a+qb",
    "/a+.html",
    "/a+2b",
    "/+e/x",
    "/a!qb",
    "/a!.html",
    "/a!d",
    "/a!e/x",
    "//a",
    "///a",
    "/a//",
    "/caf%C3%A9",
    "/cafe%CC%81",
    "/caf%c3%a9",
    "/~a",
    "/.htaccess",
    "/.crawl-mirror/table",
    "/index",
    "/index.html",
    "/INDEX.html",
    "/index/",
    "/index.html/",
    "/?",
    "/",
    "/?/../../x",
    "/a?../../x",
    "/a%0Ab",
    "/a%7F",
    "/%FF%FE",
    "/a;b",
    "/a&b",
    "/!",
    "/!e",
    "/!e/a",
    "/!h",
    "/%21",
    "/a%",
    "/a%zz",
    "/-rf",
    "/a'b",
    "/$(x)",
    "/a`b`",
    "/{a}",
};

enum { HOSTILE = sizeof hostile / sizeof *hostile, LONG = 8 };

/* Makes different URLs that are too long, and differ late. */
static char *long_url(unsigned which)
{
    char *text = malloc(9000);
    size_t size = (size_t)sprintf(text, "https://h.example");
    if (which < 4) { /* one name of 4,000 bytes */
        size += (size_t)sprintf(text + size, "/");
        memset(text + size, 'x', 4000);
        sprintf(text + size + 4000, "%s", (const char *const[]){"", "y", "Y", ".html"}[which]);
        return text;
    }
    for (unsigned i = 0; i < 1500; i++) /* and many names */
        size += (size_t)sprintf(text + size, "/ab");
    sprintf(text + size, "%s", (const char *[]){"", "/", "/c.html", "/C.html"}[which - 4]);
    return text;
}

static char *hostile_path(unsigned which)
{
    char url[256];
    if (which >= HOSTILE) {
        char *text = long_url(which - HOSTILE);
        char *path = path_of(text, "text/html");
        free(text);
        return path;
    }
    snprintf(url, sizeof url, "https://h.example%s", hostile[which]);
    return path_of(url, "text/html");
}

static void check_name(crawl_slice name, const char *path)
{
    cr_expect(name.size && name.size <= CW_MIRROR_MAX_NAME, "%s", path);
    cr_expect(!cw_ends_with(name, "."), "%s", path);
    cr_expect_eq(cw_find_any(name, "\\:*?\"<>| "), name.size, "%s", path);
    for (size_t i = 0; i < name.size; i++)
        cr_expect(name.data[i] > ' ' && name.data[i] < 0x7f, "%s", path);
    crawl_slice stem = cw_cut(&name, '.');
    cr_expect(!cw_is_nocase(stem, "con") && !cw_is_nocase(stem, "aux") && !cw_is_nocase(stem, "nul") &&
                  !cw_is_nocase(stem, "com1") && !cw_is_nocase(stem, "lpt9") && !cw_is_nocase(stem, "clock$"),
              "%s", path);
}

Test(mirror_path, of_a_hostile_name_stays_inside)
{
    cr_assert_geq(HOSTILE, 60);
    for (unsigned i = 0; i < HOSTILE + LONG; i++) {
        char *path = hostile_path(i);
        crawl_slice rest = crawl_slice_from(path);
        cr_expect(cw_starts_with(rest, "h.example/"), "%s", path);
        cr_expect(rest.size <= CW_MIRROR_MAX_PATH, "%s", path);
        while (rest.size)
            check_name(cw_cut(&rest, '/'), path);
        free(path);
    }
}

/* Returns true if one is the file at the other, or a folder above it, on a system that ignores case. */
static bool collide(const char *one, const char *other)
{
    size_t size = strlen(one);
    return cw_starts_nocase(crawl_slice_from(other), one) && (other[size] == '\0' || other[size] == '/');
}

Test(mirror_path, is_of_one_url_alone)
{
    char *paths[HOSTILE + LONG];
    for (unsigned i = 0; i < HOSTILE + LONG; i++)
        paths[i] = hostile_path(i);
    for (unsigned i = 0; i < HOSTILE + LONG; i++)
        for (unsigned k = 0; k < HOSTILE + LONG; k++)
            cr_expect(i == k || !collide(paths[i], paths[k]), "%s and %s", paths[i], paths[k]);
    for (unsigned i = 0; i < HOSTILE + LONG; i++)
        free(paths[i]);
}

Test(mirror_path, is_none_for_what_is_not_fetched)
{
    crawl_buf path = {0};
    crawl_url *url = crawl_url_create();
    cr_assert_eq(crawl_url_parse(url, crawl_slice_from("file:///etc/passwd"), NULL, NULL), CRAWL_OK);
    cr_expect_eq(cw_mirror_path(CW_MIRROR_MARK, url, crawl_slice_from("text/html"), &path), CRAWL_EINVAL);
    cr_expect_eq(path.size, 0);
    crawl_url_free(url);
    crawl_buf_free(&path);
}

static void check_link(const char *from, const char *to, const char *expected)
{
    crawl_buf link = {0};
    cr_assert_eq(cw_mirror_path_link(crawl_slice_from(from), crawl_slice_from(to), &link), CRAWL_OK);
    cr_expect_str_eq(link.data, expected);
    crawl_buf_free(&link);
}

Test(mirror_path, leads_from_file_to_file)
{
    check_link("h/a.html", "h/b.html", "b.html");
    check_link("h/a.html", "h/a.html", "a.html");
    check_link("h/x/y/a.html", "h/b.html", "../../b.html");
    check_link("h/a.html", "i/b/c.html", "../i/b/c.html");
    check_link("h/ab/a.html", "h/ac/a.html", "../ac/a.html");
    check_link("h/a.html", "h/x%2F&y!q'.html", "x%252F%26y!q%27.html");
}
