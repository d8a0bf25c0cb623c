/* Hosts: domains by UTS 46, IPv4 and IPv6 addresses, opaque hosts. */
#include "tests/unit/parse/url_help.h"

#include "parse/url/host.h"
#include "parse/url/ip.h"

typedef struct row {
    const char *host;
    const char *expected; /* NULL: failure */
} row;

static void check_rows(const row *rows, size_t count, bool special)
{
    crawl_buf out = {0};
    crawl_buf scratch = {0};
    for (size_t i = 0; i < count; i++) {
        crawl_buf_clear(&out);
        crawl_err err = cw_url_parse_host(crawl_slice_from(rows[i].host), special, &out, &scratch);
        if (!rows[i].expected) {
            cr_expect_eq(err, CRAWL_EPARSE, "%s", rows[i].host);
            continue;
        }
        cr_expect_eq(err, CRAWL_OK, "%s", rows[i].host);
        bool same = !err && crawl_slice_equal(crawl_buf_slice(&out), crawl_slice_from(rows[i].expected));
        cr_expect(same, "%s: got %.*s", rows[i].host, (int)out.size, out.data ? out.data : "");
    }
    crawl_buf_free(&out);
    crawl_buf_free(&scratch);
}

#define CHECK_ROWS(rows, special) check_rows(rows, sizeof(rows) / sizeof *(rows), special)

Test(host, ascii_domains)
{
    static const row rows[] = {
        {"EXAMPLE.com", "example.com"},
        {"ex%41mple.com", "example.com"},
        {"a_b.c-", "a_b.c-"},
        {"a!$&'()*+,;=`{}~\"b", "a!$&'()*+,;=`{}~\"b"},
        {"h.", "h."},
        {".h", ".h"},
        {"..", ".."},
        {"ab--cd", "ab--cd"},
        {"xn--", "xn--"},
        {"XN--ASCII-", "xn--ascii-"},
        {"a%20b", NULL},
        {"a%00b", NULL},
        {"a%25b", NULL},
        {"a%zz", NULL},
        {"a^b", NULL},
        {"a|b", NULL},
        {"a\x7f", NULL},
        {"a%ff", NULL},
        {"a]b", NULL},
        {"a:b", NULL},
    };
    CHECK_ROWS(rows, true);
}

Test(host, domains_by_uts_46)
{
    static const row rows[] = {
        {"b\xc3\xbc"
         "cher.de",
         "xn--bcher-kva.de"},
        {"B\xc3\x9c"
         "CHER.de",
         "xn--bcher-kva.de"},
        {"b%C3%BCcher.de", "xn--bcher-kva.de"},
        {"fa\xc3\x9f.de", "xn--fa-hia.de"},
        {"a\xe3\x80\x82"
         "b\xef\xbc\x8e"
         "c\xef\xbd\xa1",
         "a.b.c."},
        {"\xef\xbc\xa1\xef\xbc\xa2", "ab"},
        {"a\xc2\xad"
         "b",
         "ab"},
        {"\xc2\xad", NULL},
        {"\xef\xbf\xbd", NULL},
        {"\xef\xbc\x85\xef\xbc\x94\xef\xbc\x91", NULL},
        {"\xe2\x98\x83.net", "xn--n3h.net"},
        {"\xf0\x9f\x92\xa9.la", "xn--ls8h.la"},
        {"i\xe2\x9d\xa4\xef\xb8\x8f.ws", "xn--i-7iq.ws"},
        {"\xe2\x98\x83\xc3\xbc-", "xn----dha055z"},
        {"-\xc3\xbc-", "xn-----xka"},
        {"ab--\xc3\xbc", "xn--ab---3ra"},
        {"a\xcc\x81-\xe2\x98\x83", "xn----tfa336z"},
        {"a\xe2\x80\x8d"
         "b",
         NULL},
        {"\xe2\x98\x83\xe2\x80\x8d", NULL},
        {"\xcc\x81"
         "a",
         NULL},
        {"\xd7\x90"
         "b",
         NULL},
        {"\xd7\x90\xe2\x98\x83"
         "b",
         NULL},
        {"\xdb\xb1-", "xn----iyc"},
        {"\xc3\xbc.xn--n3h", "xn--tda.xn--n3h"},
        {"\xc3\xbc.XN--FA-HIA", "xn--tda.xn--fa-hia"},
        {"\xc3\xbc.xn--a", NULL},
        {"\xc3\xbc.xn--ascii-", NULL},
        {"\xc3\xbc.xn--", NULL},
        {"xn--\xc3\xbc", NULL},
        {"xn--\xe2\x98\x83", NULL},
    };
    CHECK_ROWS(rows, true);
}

Test(host, mappings_to_several_characters)
{
    static const row rows[] = {
        {"\xe2\x84\xa1.de", "tel.de"},     /* U+2121 */
        {"1\xe2\x85\x93", "xn--113-pt0a"}, /* U+2153, a fraction with its own slash */
        {"\xef\xac\x83", "ffi"},           /* U+FB03 */
        {"\xf0\x9f\x84\x81", "0,"},        /* U+1F101, "0," */
        {"\xf0\x9f\x84\x90", "(a)"},       /* U+1F110, "(A)" */
        {"\xe2\x92\x88", NULL},            /* U+2488, "1." */
        {"\xe2\x80\xa6", NULL},            /* U+2026, "..." */
        {"\xe3\x8f\x82", NULL},            /* U+33C2, "a.m." */
        {"\xe1\xba\x9e", "xn--zca"},       /* U+1E9E, capital sharp s */
        {"\xf0\x9e\x80\xb0", "xn--80a"},   /* U+1E030, a modifier letter of Unicode 15 */
    };
    CHECK_ROWS(rows, true);
}

/* Characters of Unicode 15.1, 16 and 17, which libunistring lacks. */
Test(host, the_youngest_characters)
{
    static const row rows[] = {
        {"\xf0\xae\xaf\xb0", "xn--8g0n"},           /* U+2EBF0, a CJK ideograph of 15.1 */
        {"\xf0\x90\x97\x80", "xn--4u8c"},           /* U+105C0, Todhri, of 16 */
        {"\xf0\x90\xb5\x90", "xn--dh0d"},           /* U+10D50, a Garay capital of 16 */
        {"\xf0\x90\xb5\xb0", "xn--dh0d"},           /* U+10D70, its small letter */
        {"\xea\x9f\x8b", "xn--3na"},                /* U+A7CB, of 16, the capital of U+0264 */
        {"\xf0\x9c\xb3\x96\xf0\x9c\xb3\xb0", "a0"}, /* U+1CCD6 U+1CCF0, outlined A and 0, of 16 */
        {"\xf0\xb2\x8e\xb0", "xn--031o"},           /* U+323B0, a CJK ideograph of 17 */
        {"\xf0\xb3\x91\xb9", "xn--sm5o"},           /* U+33479, the last of them */
        {"\xf0\x96\xba\xa0", "xn--zs0f"},           /* U+16EA0, a Beria Erfe capital of 17 */
        {"\xf0\x96\xba\xbb", "xn--zs0f"},           /* U+16EBB, its small letter */
        {"\xf0\x90\xa5\x80", "xn--ql9c"},           /* U+10940, Sidetic, of 17, from right to left */
        {"a\xf0\x90\xb5\xa9", "xn--a-2n6i"},        /* U+10D69, a combining mark of 16 */
        {"\xf0\x90\xb5\xa9", NULL},                 /* alone */
        {"\xe0\xa2\x97", NULL},                     /* U+0897, the same */
        {"a\xf0\x90\xa5\x80", NULL},                /* both directions in a label */
        {"\xf0\xb3\x91\xba", NULL},                 /* U+3347A, unassigned */
        {"\xe3\x87\xaf", NULL},                     /* U+31EF, of 15.1, describes ideographs */
        {"\xe2\xbf\xbc", NULL},                     /* U+2FFC, the same */
        {"xn--sm5o", "xn--sm5o"},
        {"\xc3\xbc.xn--tm5o", NULL},     /* U+3347A, encoded */
        {"\xc3\xbc.xn--xn---epa", NULL}, /* "xn--" and U+00E9, encoded again: UTS 46, 4.1, 4 */
    };
    CHECK_ROWS(rows, true);
    cr_expect_str_eq(crawl_unicode_version(), "17.0.0");
}

/* Jamo that are alone, or not in the order of a syllable, are letters like others. */
Test(host, jamo)
{
    static const row rows[] = {
        {"\xe1\x84\x80\xe1\x85\xa1", "xn--o39a"},  /* U+1100 U+1161, U+AC00 */
        {"\xe1\x84\x80", "xn--ypd"},               /* U+1100 */
        {"\xe1\x85\xa1\xe1\x84\x80", "xn--ypd7q"}, /* U+1161 U+1100 */
        {"\xe3\x84\xb1", "xn--ypd"},               /* U+3131, its compatibility form */
        {"\xe1\x85\x9f", NULL},                    /* U+115F, a filler */
    };
    CHECK_ROWS(rows, true);
}

/* RFC 5893: one right-to-left label applies the rule to all. */
Test(host, right_to_left_labels_are_looked_at_together)
{
    static const row rows[] = {
        {"\xd7\x90.a", "xn--4db.a"},         {"\xd7\x90.1a", NULL},
        {"1a.\xc3\xa9", "1a.xn--9ca"},       {"a-.\xd7\x90", NULL},
        {"a-.\xc3\xa9", "a-.xn--9ca"},       {"\xd7\x90.xn--9ca", "xn--4db.xn--9ca"},
        {"\xc3\xa9.1.xn--4db", NULL},        {"\xd7\x90\x31\xd9\xa1", NULL}, /* both kinds of digits */
        {"\xd7\x90\xd6\xb0.", "xn--7cb7d."},
    };
    CHECK_ROWS(rows, true);
}

/* RFC 5892, A.1 and A.2 */
Test(host, joiners)
{
    static const row rows[] = {
        {"\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d", "xn--11b6iy14e"},
        {"\xe0\xa4\x95\xe2\x80\x8d", NULL},
        {"\xd8\xa8\xe2\x80\x8c\xd8\xa8", "xn--ngba799q"},
        {"\xd8\xa8\xe2\x80\x8c\xd8\xa7", "xn--mgbb899q"},
        {"\xd8\xa7\xe2\x80\x8c\xd8\xa8", NULL},
        {"\xd8\xa8\xd9\x8e\xe2\x80\x8c\xd9\x8e\xd8\xa8", "xn--ngba7ia3604a"},
        {"\xd8\xa8\xe2\x80\x8c", NULL},
    };
    CHECK_ROWS(rows, true);
}

/* The standard limits neither a label to 63 bytes nor a name to 253. */
Test(host, long_labels)
{
    char ascii[301];
    memset(ascii, 'a', 300);
    ascii[300] = '\0';
    char mixed[80] = "\xc3\xbc";
    memset(mixed + 2, 'a', 70);
    static const char chinese[] =
        "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
        "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
        "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
        "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
        "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87";
    const row rows[] = {
        {ascii, ascii},
        {mixed, "xn--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-tgh"},
        {chinese, "xn--fiqaaaaaaaaaaaaaaaaaaa3366jbabbbbbbbbbbbbbbbbbb"},
    };
    CHECK_ROWS(rows, true);
}

Test(host, refuses_a_domain_too_long_to_encode)
{
    enum { CODES = 600 };
    char text[2 * CODES + 1];
    for (size_t i = 0; i < CODES; i++)
        memcpy(text + 2 * i, "\xc3\xbc", 3);
    const row rows[] = {{text, NULL}};
    CHECK_ROWS(rows, true);
}

Test(host, ipv4)
{
    static const row rows[] = {
        {"127.0.0.1", "127.0.0.1"},
        {"0x7f.1", "127.0.0.1"},
        {"0X7F.1", "127.0.0.1"},
        {"017700000001", "127.0.0.1"},
        {"2130706433", "127.0.0.1"},
        {"1.2.3.4.", "1.2.3.4"},
        {"0x", "0.0.0.0"},
        {"%31.2", "1.0.0.2"},
        {"\xef\xbc\x91.2", "1.0.0.2"},
        {"255.255.255.255", "255.255.255.255"},
        {"4294967295", "255.255.255.255"},
        {"4294967296", NULL},
        {"99999999999999999999999", NULL},
        {"0xffffffffffffffffff", NULL},
        {"1.2.3.256", NULL},
        {"1.2.65536", NULL},
        {"256.1", NULL},
        {"1.2.3.4.5", NULL},
        {"1..2", NULL},
        {"a.1", NULL},
        {"1.2.3.08", NULL},
        {"1.2.3.4..", "1.2.3.4.."},
        {"1.2.3.a", "1.2.3.a"},
        {"1.2.0xg", "1.2.0xg"},
        {"1a", "1a"},
    };
    CHECK_ROWS(rows, true);
}

Test(host, ipv6)
{
    static const row rows[] = {
        {"[::]", "[::]"},
        {"[::1]", "[::1]"},
        {"[1::]", "[1::]"},
        {"[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
        {"[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"},
        {"[0:1:2:3:4:5:6:7]", "[0:1:2:3:4:5:6:7]"},
        {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
        {"[::ffff:1.2.3.4]", "[::ffff:102:304]"},
        {"[1:2:3:4:5:6:7.8.9.10]", "[1:2:3:4:5:6:708:90a]"},
        {"[00ab::]", "[ab::]"},
        {"[]", NULL},
        {"[", NULL},
        {"[::1", NULL},
        {"[:]", NULL},
        {"[:::]", NULL},
        {"[1:2:3:4:5:6:7]", NULL},
        {"[1:2:3:4:5:6:7:8:9]", NULL},
        {"[1:2:3:4:5:6:7::8]", NULL},
        {"[1::2::3]", NULL},
        {"[1:2:3:4:5:6:7:]", NULL},
        {"[12345::]", NULL},
        {"[g::]", NULL},
        {"[::1.2.3]", NULL},
        {"[::1.2.3.4.5]", NULL},
        {"[::1.2.3.256]", NULL},
        {"[::01.2.3.4]", NULL},
        {"[::.1.2.3]", NULL},
        {"[::1.2.3.]", NULL},
        {"[1:2:3:4:5:6:7:1.2.3.4]", NULL},
        {"[::1%25]", NULL},
    };
    CHECK_ROWS(rows, true);
    CHECK_ROWS(rows, false);
}

Test(host, opaque)
{
    static const row rows[] = {
        {"H\xc3\xa9%41", "H%C3%A9%41"},
        {"1.2.3.256", "1.2.3.256"},
        {"a\x01", "a%01"},
        {"a\x7f", "a%7F"},
        {"a b", NULL},
        {"a<b", NULL},
        {"a^b", NULL},
        {"a\tb", NULL},
    };
    CHECK_ROWS(rows, false);
}
