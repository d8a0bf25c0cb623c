/* parse/charset/charset_label.c, charset_prescan.c, charset_sniff.c: finding the encoding. */
#include "parse/charset/charset.h"

#include <crawl/links.h>

#include <criterion/criterion.h>

static const char *shown(const char *text)
{
    return text ? text : "none";
}

static void expect_name(const char *what, const char *got, const char *expected)
{
    bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;
    cr_expect(same, "%s: %s, not %s", what, shown(got), shown(expected));
}

Test(charset, labels)
{
    static const char *const rows[][2] = {
        {"utf-8", "utf-8"},
        {"UTF8", "utf-8"},
        {" latin1\n", "windows-1252"},
        {"iso-8859-1", "windows-1252"},
        {"US-ASCII", "windows-1252"},
        {"gb2312", "gbk"},
        {"sjis", "shift_jis"},
        {"ks_c_5601-1987", "euc-kr"},
        {"utf-16", "utf-16le"},
        {"unicodefffe", "utf-16be"},
        {"iso-2022-kr", "replacement"},
        {"x-user-defined", "x-user-defined"},
        {"iso8859-15", "iso-8859-15"},
        {"koi8-ru", "koi8-u"},
        {"cseucpkdfmtjapanese", "euc-jp"},
        {"866", "ibm866"},
        {"x-x-big5", "big5"},
        {"l9", "iso-8859-15"},
        {"", NULL},
        {"utf-7", NULL},
        {"utf_8", NULL},
        {"utf-8\v", NULL},
        {"a label that is longer than any", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_name(rows[i][0], crawl_charset_name(crawl_slice_from(rows[i][0])), rows[i][1]);
    expect_name("utf-8 and a NUL", crawl_charset_name(crawl_slice_of("utf-8\0x", 7)), NULL);
}

/* Every encoding's name is one of its own labels: the table is sorted and complete. */
Test(charset, every_name_is_its_own_label)
{
    static const char *const names[] = {
        "utf-8",        "ibm866",       "iso-8859-2",   "iso-8859-3",     "iso-8859-4",     "iso-8859-5",
        "iso-8859-6",   "iso-8859-7",   "iso-8859-8",   "iso-8859-8-i",   "iso-8859-10",    "iso-8859-13",
        "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "koi8-r",         "koi8-u",         "macintosh",
        "windows-874",  "windows-1250", "windows-1251", "windows-1252",   "windows-1253",   "windows-1254",
        "windows-1255", "windows-1256", "windows-1257", "windows-1258",   "x-mac-cyrillic", "gbk",
        "gb18030",      "big5",         "euc-jp",       "iso-2022-jp",    "shift_jis",      "euc-kr",
        "replacement",  "utf-16be",     "utf-16le",     "x-user-defined",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect_name(names[i], crawl_charset_name(crawl_slice_from(names[i])), names[i]);
}

Test(charset, content_type)
{
    static const char *const rows[][2] = {
        {"text/html; charset=utf-8", "utf-8"},
        {"text/html;charset=\"ISO-8859-2\"", "iso-8859-2"},
        {"text/html; CHARSET=latin1 ; x=y", "windows-1252"},
        {"text/html; x=\"; charset=koi8-r\"; charset=gbk", "gbk"},
        {"text/html; x=\"a\\\"; charset=koi8-r\"; charset=gbk", "gbk"},
        {"text/html; charset=; charset=gbk", "gbk"},
        {"text/html; charset=nonsense; charset=gbk", "gbk"},
        {"text/html; charset=gbk; charset=utf-8", "gbk"},
        {"text/html;;; charset=gbk", "gbk"},
        {"text/html, text/html; charset=gbk", "gbk"},
        {"text/html; charset =utf-8", NULL},
        {"text/html; charset= utf-8", "utf-8"},
        {"text/html; charset= \"utf-8\"", NULL},
        {"text/html; charset=\tgbk ;x", "gbk"},
        {"text/html; charset= gbk x", NULL},
        {"text/html; charset gbk", NULL},
        {"text/html; charset=gbk, text/html; charset=utf-8", "utf-8"},
        {"text/html; charset=gbk, Text/HTML", "gbk"},
        {"text/html; charset=gbk,TEXT/HTML ;charset=koi8-r, text/html5; charset=utf-8", "koi8-r"},
        {"text/html; x=\",text/html;charset=gbk\"; charset=utf-8", "utf-8"},
        {"text/html; xcharset=utf-8", NULL},
        {"text/html; charset=\"utf-8", NULL},
        {"text/html; charset", NULL},
        {"charset=utf-8", NULL},
        {"text/html", NULL},
        {";", NULL},
        {"\"", NULL},
        {"\\", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_name(rows[i][0], crawl_charset_of_content_type(crawl_slice_from(rows[i][0])), rows[i][1]);
}

Test(charset, meta_content)
{
    static const char *const rows[][2] = {
        {"text/html; charset=koi8-r", "koi8-r"},
        {"charset = 'koi8-r' x", "koi8-r"},
        {"charset=\"koi8-r\"", "koi8-r"},
        {"charset charset=koi8-r", "koi8-r"},
        {"xCHARSET=koi8-r;y", "koi8-r"},
        {"charset=\"koi8-r", NULL},
        {"charset=", NULL},
        {"charset", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_name(rows[i][0], cw_charset_of_meta_content(crawl_slice_from(rows[i][0])), rows[i][1]);
}

Test(charset, prescan)
{
    static const char *const rows[][2] = {
        {"<meta charset=koi8-r>", "koi8-r"},
        {"<META CHARSET='koi8-r'/>", "koi8-r"},
        {"<meta/charset=koi8-r>", "koi8-r"},
        {"<p title='<meta charset=gbk>'><meta charset=koi8-r>", "koi8-r"},
        {"<!-- <meta charset=gbk> --><meta charset=koi8-r>", "koi8-r"},
        {"<!--><meta charset=koi8-r>-->", "koi8-r"},
        {"<!-- <meta charset=koi8-r>", NULL},
        {"<!x <meta charset=gbk><meta charset=koi8-r>", "koi8-r"},
        {"</ <meta charset=gbk><meta charset=koi8-r>", "koi8-r"},
        {"<?x <meta charset=gbk><meta charset=koi8-r>", "koi8-r"},
        {"</p a='<meta charset=gbk>'><meta charset=koi8-r>", "koi8-r"},
        {"< <meta charset=koi8-r>", "koi8-r"},
        {"<metax charset=gbk><meta charset=koi8-r>", "koi8-r"},
        {"<meta http-equiv=content-type content='text/html; charset=koi8-r'>", "koi8-r"},
        {"<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", "koi8-r"},
        {"<meta content='text/html; charset=koi8-r'>", NULL},
        {"<meta http-equiv=refresh content='charset=koi8-r'>", NULL},
        {"<meta charset=koi8-r http-equiv=content-type content='charset=gbk'>", "koi8-r"},
        {"<meta http-equiv=content-type content='charset=gbk' charset=koi8-r>", "koi8-r"},
        {"<meta charset=koi8-r charset=gbk>", "koi8-r"},
        {"<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"},
        {"<meta charset=nonsense http-equiv=content-type content='charset=gbk'>", NULL},
        {"<meta charset=utf-16>", "utf-8"},
        {"<meta charset=utf-16be>", "utf-8"},
        {"<meta charset=x-user-defined>", "windows-1252"},
        {"<meta charset", NULL},
        {"<meta", NULL},
        {"<", NULL},
        {"", NULL},
        {"<?xml version='1.0' encoding='koi8-r'?>", "koi8-r"},
        {"<?xml version='1.0' encoding = \"utf-16\" ?>", "utf-8"},
        {"<?xml version='1.0' encoding='koi8-r'?><meta charset=gbk>", "gbk"},
        {" <?xml version='1.0' encoding='koi8-r'?>", NULL},
        {"<?xml version='1.0'?> encoding='koi8-r'", NULL},
        {"<?xml encoding", NULL},
        {"<?xml encoding=", NULL},
        {"<?xml encoding=koi8-r?>", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_name(rows[i][0], cw_charset_prescan(crawl_slice_from(rows[i][0])), rows[i][1]);
    expect_name("<?x in UTF-16LE", cw_charset_prescan(crawl_slice_of("<\0?\0x\0", 6)), "utf-16le");
    expect_name("<?x in UTF-16BE", cw_charset_prescan(crawl_slice_of("\0<\0?\0x", 6)), "utf-16be");
    expect_name("NUL in a name", cw_charset_prescan(crawl_slice_of("<meta cha\0rset=gbk>", 19)), NULL);
}

/* Anywhere in the first 1024 bytes; after them only in the head, up to 64 KiB. */
Test(charset, where_a_declaration_counts)
{
    enum { SIZE = 70000 };
    static const struct {
        size_t at;
        const char *text;
        const char *found;
    } rows[] = {
        {900, "<meta charset=koi8-r>", "koi8-r"},
        {900, "<body><meta charset=koi8-r>", "koi8-r"},
        {900, "<script>'<meta charset=koi8-r>'</script>", "koi8-r"},
        {1015, "<meta charset=koi8-r>", "koi8-r"},
        {5000, "<meta charset=koi8-r>", "koi8-r"},
        {65000, "<META HTTP-EQUIV=content-type CONTENT='text/html; charset=koi8-r'>", "koi8-r"},
        {65536, "<meta charset=koi8-r>", NULL},
        {5000, "<body><meta charset=koi8-r>", NULL},
        {5000, "</head><meta charset=koi8-r>", NULL},
        {5000, "<script>'<meta charset=gbk>'</SCRIPT ><meta charset=koi8-r>", "koi8-r"},
        {5000, "<style><meta charset=gbk>", NULL},
        {5000, "<title>&lt;<meta charset=gbk></title><meta charset=koi8-r>", "koi8-r"},
        {5000, "<!-- <meta charset=gbk> --><meta charset=nonsense><meta charset=koi8-r>", "koi8-r"},
    };
    char *html = malloc(SIZE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(html, ' ', SIZE);
        memcpy(html + rows[i].at, rows[i].text, strlen(rows[i].text));
        expect_name(rows[i].text, cw_charset_prescan(crawl_slice_of(html, SIZE)), rows[i].found);
    }
    free(html);
}

Test(charset, sniff_order)
{
    static const char marked[] = "\xef\xbb\xbf<meta charset=gbk>";
    static const char declared[] = "<meta charset=gbk>\xe9";
    expect_name("mark over transport", crawl_charset_sniff(crawl_slice_from(marked), "koi8-r"), "utf-8");
    expect_name("mark of UTF-16BE", crawl_charset_sniff(crawl_slice_of("\xfe\xff\0a", 4), "utf-8"), "utf-16be");
    expect_name("mark of UTF-16LE",
                crawl_charset_sniff(crawl_slice_of("\xff\xfe"
                                                   "a\0",
                                                   4),
                                    NULL),
                "utf-16le");
    expect_name("transport over meta", crawl_charset_sniff(crawl_slice_from(declared), "koi8-r"), "koi8-r");
    expect_name("transport's label", crawl_charset_sniff(crawl_slice_from(declared), "Latin1"), "windows-1252");
    expect_name("unknown transport", crawl_charset_sniff(crawl_slice_from(declared), "nonsense"), "gbk");
    expect_name("meta", crawl_charset_sniff(crawl_slice_from(declared), NULL), "gbk");
    expect_name("valid UTF-8", crawl_charset_sniff(crawl_slice_from("caf\xc3\xa9"), NULL), "utf-8");
    expect_name("UTF-8 cut short", crawl_charset_sniff(crawl_slice_from("caf\xc3"), NULL), "utf-8");
    expect_name("no UTF-8", crawl_charset_sniff(crawl_slice_from("caf\xe9!"), NULL), "windows-1252");
    expect_name("ASCII", crawl_charset_sniff(crawl_slice_from("cafe"), NULL), "utf-8");
    expect_name("nothing", crawl_charset_sniff((crawl_slice){0}, NULL), "utf-8");
}
