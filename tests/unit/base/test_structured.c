#include "base/structured.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Every type, member, parameter and list, written so that one text distinguishes them. */

static crawl_slice slice(const char *text)
{
    return crawl_slice_from(text);
}

static void put_value(const cw_structured_value *value, crawl_buf *out);

static void put_parameters(crawl_slice parameters, crawl_buf *out)
{
    crawl_slice key;
    cw_structured_value value;
    while (cw_structured_parameter(&parameters, &key, &value)) {
        cr_assert_eq(crawl_buf_printf(out, ";%.*s=", (int)key.size, key.data), CRAWL_OK);
        put_value(&value, out);
    }
    cr_assert_eq(parameters.size, 0);
}

static void put_members(cw_structured at, crawl_buf *out)
{
    cw_structured_item item;
    while (cw_structured_next(&at, &item)) {
        if (item.key.size)
            cr_assert_eq(crawl_buf_printf(out, "%.*s=", (int)item.key.size, item.key.data), CRAWL_OK);
        put_value(&item.value, out);
        put_parameters(item.parameters, out);
        cr_assert_eq(crawl_buf_append(out, " ", 1), CRAWL_OK);
    }
    cr_assert_not(at.is_broken);
}

/* Appends a letter for the type, and the number or the decoded text; an inner list in brackets. */
static void put_value(const cw_structured_value *value, crawl_buf *out)
{
    static const char letters[] = "idstb?@u";
    if (value->type == CW_STRUCTURED_MEMBERS) {
        cr_assert_eq(crawl_buf_append(out, "[", 1), CRAWL_OK);
        put_members(cw_structured_inside(value), out);
        cr_assert_eq(crawl_buf_append(out, "]", 1), CRAWL_OK);
        return;
    }
    cr_assert_eq(crawl_buf_append(out, &letters[value->type], 1), CRAWL_OK);
    if (cw_structured_text(value, out) == CRAWL_EINVAL)
        cr_assert_eq(crawl_buf_printf(out, "%lld", (long long)value->number), CRAWL_OK);
}

/* Expects this result; "!": the field is invalid. */
static void expect(cw_structured_form form, const char *field, const char *wanted)
{
    cw_structured at;
    crawl_buf out = {0};
    size_t size = strlen(field);
    char *copy = malloc(size ? size : 1); /* of exactly its size, so that the sanitizer sees each byte beyond */
    cr_assert_not_null(copy);
    memcpy(copy, field, size);
    if (cw_structured_open(crawl_slice_of(copy, size), form, &at))
        put_members(at, &out);
    else
        cr_assert_eq(crawl_buf_append(&out, "!", 1), CRAWL_OK);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&out), slice(wanted)), "%s: %.*s, not %s", field, (int)out.size,
              out.size ? out.data : "", wanted);
    free(copy);
    crawl_buf_free(&out);
}

typedef struct reading {
    const char *field;
    const char *wanted;
} reading;

static void expect_all(cw_structured_form form, const reading *readings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(form, readings[i].field, readings[i].wanted);
}

#define EXPECT_ALL(form, readings) expect_all(form, readings, sizeof(readings) / sizeof *(readings))

Test(structured, numbers)
{
    static const reading readings[] = {
        {"42", "i42 "},
        {"  42  ", "i42 "},
        {"-0", "i0 "},
        {"007", "i7 "},
        {"-999999999999999", "i-999999999999999 "},
        {"999999999999999", "i999999999999999 "},
        {"1000000000000000", "!"},
        {"4.5", "d4500 "},
        {"-1.125", "d-1125 "},
        {"123456789012.1", "d123456789012100 "},
        {"1234567890123.1", "!"},
        {"1.", "!"},
        {"1.1234", "!"},
        {".1", "!"},
        {"1.2.3", "!"},
        {"-", "!"},
        {"--1", "!"},
        {"+1", "!"},
        {"- 1", "!"},
        {"1 2", "!"},
        {"1a", "!"},
        {"", "!"},
        {" ", "!"},
        {"\t1", "!"},
        {"1\t", "!"},
        {"1,", "!"},
        {"@1659578233", "@1659578233 "},
        {"@-1", "@-1 "},
        {"@1.5", "!"},
        {"@", "!"},
        {"?1", "?1 "},
        {"?0", "?0 "},
        {"?", "!"},
        {"?2", "!"},
        {"?true", "!"},
    };
    EXPECT_ALL(CW_STRUCTURED_ITEM, readings);
}

Test(structured, texts)
{
    static const reading readings[] = {
        {"\"hello world\"", "shello world "},
        {"\"\"", "s "},
        {"\"a\\\"b\\\\\"", "sa\"b\\ "},
        {"\"a\\n\"", "!"},
        {"\"a", "!"},
        {"\"a\\\"", "!"},
        {"\"a\\", "!"},
        {"\"a\tb\"", "!"},
        {"\"\x7f\"", "!"},
        {"\"\xc3\xa9\"", "!"},
        {"'a'", "!"},
        {"foo123/456:x", "tfoo123/456:x "},
        {"*a", "t*a "},
        {"A!#$%&'*+-.^_`|~", "tA!#$%&'*+-.^_`|~ "},
        {"a(b", "!"},
        {"\xc3\xa9", "!"},
        {"%\"this is intended for display to %c3%bcsers.\"", "uthis is intended for display to \xc3\xbcsers. "},
        {"%\"\"", "u "},
        {"%\"%22%25\"", "u\"% "},
        {"%\"%e2%82%ac\xe2\"", "!"},
        {"%\"%C3%BC\"", "!"},
        {"%\"%c3\"", "!"},
        {"%\"%c3%28\"", "!"},
        {"%\"%ed%a0%80\"", "!"},
        {"%\"%f0%9f%98%80%f0%9f%98\"", "!"},
        {"%\"%f0%9f%98%80\"", "u\xf0\x9f\x98\x80 "},
        {"%\"%a\"", "!"},
        {"%\"%\"", "!"},
        {"%\"a", "!"},
        {"%\"a\tb\"", "!"},
        {"%a", "!"},
    };
    EXPECT_ALL(CW_STRUCTURED_ITEM, readings);
}

Test(structured, bytes)
{
    static const reading readings[] = {
        {":aGVsbG8=:", "bhello "},
        {"::", "b "},
        {":aGVsbG8:", "bhello "},  /* without its padding */
        {":aGVsbG9=:", "bhello "}, /* with bits after the last byte */
        {":Zm9vYg==:", "bfoob "},
        {":Zm9vYmFy:", "bfoobar "},
        {":Zm9vYg=:", "!"},
        {":Zm9vYmFy=:", "!"},
        {":a:", "!"},
        {":=aGVsbG8:", "!"},
        {":aGVs=bG8:", "!"},
        {":aGVsbG8====:", "!"},
        {":aGVs bG8=:", "!"},
        {":aGVsb-8_:", "!"},
        {":aGVsbG8=", "!"},
        {":", "!"},
    };
    EXPECT_ALL(CW_STRUCTURED_ITEM, readings);
}

Test(structured, lists)
{
    static const reading readings[] = {
        {"", ""},
        {"   ", ""},
        {"sugar, tea, rum", "tsugar ttea trum "},
        {"1\t,\t2", "i1 i2 "},
        {"1,2", "i1 i2 "},
        {"1, 1", "i1 i1 "},
        {"1\t", "i1 "},
        {"1,", "!"},
        {"1, ", "!"},
        {",1", "!"},
        {"1,,2", "!"},
        {"1 2", "!"},
        {"\t1", "!"},
        {"(\"foo\" \"bar\"), (\"baz\"), ()", "[sfoo sbar ] [sbaz ] [] "},
        {"(  1   2  )", "[i1 i2 ] "},
        {"(\"foo\"; a=1;b=2);lvl=5, (\"bar\" \"baz\");lvl=1", "[sfoo;a=i1;b=i2 ];lvl=i5 [sbar sbaz ];lvl=i1 "},
        {"(1 2", "!"},
        {"(1,2)", "!"},
        {"(1\t2)", "!"},
        {"(1\"a\")", "!"},
        {"((1))", "!"},
        {"(", "!"},
        {")", "!"},
        {"abc;a=1;b=2; cde_456, (ghi;jk=4 l);q=\"9\";r=w", "tabc;a=i1;b=i2;cde_456=?1 [tghi;jk=i4 tl ];q=s9;r=tw "},
        {"a; b = 1", "!"},
        {"a;b=", "!"},
        {"a;", "!"},
        {"a ;b", "!"},
        {"a;\tb", "!"},
        {"a;B", "!"},
        {"a;1", "!"},
        {"a;*b=?0;_", "!"},
        {"a;*b=?0", "ta;*b=?0 "},
        {"a;b=(1)", "!"},
        {"\"d\";r=50;t=30, \"e\";r=0;pk=:QUJD:", "sd;r=i50;t=i30 se;r=i0;pk=bABC "},
    };
    EXPECT_ALL(CW_STRUCTURED_LIST, readings);
}

Test(structured, dictionaries)
{
    static const reading readings[] = {
        {"", ""},
        {"en=\"Applepie\", da=:w4ZibGV0w6ZydGU=:", "en=sApplepie da=b\xc3\x86\x62let\xc3\xa6rte "},
        {"a=?0, b, c; foo=bar", "a=?0 b=?1 c=?1;foo=tbar "},
        {"rating=1.5, feelings=(joy sadness)", "rating=d1500 feelings=[tjoy tsadness ] "},
        {"a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid", "a=[i1 i2 ] b=i3 c=i4;aa=tbb d=[i5 i6 ];valid=?1 "},
        {"*a.b-c_9=1", "*a.b-c_9=i1 "},
        {"a=1,b=2", "a=i1 b=i2 "},
        {"a=1 ,  b=2", "a=i1 b=i2 "},
        {"a = 1", "!"},
        {"a= 1", "!"},
        {"a=", "!"},
        {"a=1,", "!"},
        {"A=1", "!"},
        {"1=1", "!"},
        {"\"a\"=1", "!"},
        {"a=1 b=2", "!"},
        {"a=1;b=\xff", "!"},
        {"=1", "!"},
    };
    EXPECT_ALL(CW_STRUCTURED_DICTIONARY, readings);
}

Test(structured, no_field_holds_a_nul)
{
    cw_structured at;
    for (size_t i = 0; i < 8; i++) {
        char field[] = "a=\"b\";c";
        field[i < 7 ? i : 0] = '\0';
        cr_expect_not(cw_structured_open(crawl_slice_of(field, 7), CW_STRUCTURED_DICTIONARY, &at), "%zu", i);
    }
    cr_expect(cw_structured_open((crawl_slice){0}, CW_STRUCTURED_LIST, &at));
    cr_expect_not(cw_structured_open((crawl_slice){0}, CW_STRUCTURED_ITEM, &at));
}

Test(structured, the_last_of_a_key_holds)
{
    cw_structured at;
    cw_structured_item item;
    cw_structured_value value;
    cr_assert(cw_structured_open(slice("a=1, b;x=1;y;x=2, a=3, ab=4"), CW_STRUCTURED_DICTIONARY, &at));
    cr_assert(cw_structured_member(at, "a", &item));
    cr_expect_eq(item.value.number, 3);
    cr_assert(cw_structured_member(at, "b", &item));
    cr_assert(cw_structured_find(item.parameters, "x", &value));
    cr_expect_eq(value.number, 2);
    cr_assert(cw_structured_find(item.parameters, "y", &value));
    cr_expect_eq(value.type, CW_STRUCTURED_BOOLEAN);
    cr_expect_not(cw_structured_find(item.parameters, "z", &value));
    cr_expect_not(cw_structured_member(at, "c", &item));
    cr_expect_not(cw_structured_member(at, "", &item));
}

Test(structured, numbers_and_lists_are_no_texts)
{
    cw_structured at;
    cw_structured_item item;
    crawl_buf out = {0};
    cr_assert(cw_structured_open(slice("1, 1.5, ?1, @1, (a)"), CW_STRUCTURED_LIST, &at));
    for (size_t i = 0; i < 5; i++) {
        cr_assert(cw_structured_next(&at, &item));
        cr_expect_eq(cw_structured_text(&item.value, &out), CRAWL_EINVAL);
    }
    cr_expect_not(cw_structured_next(&at, &item));
    cr_expect_eq(out.size, 0);
}
