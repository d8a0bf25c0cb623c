#include "render/pipe.h"

#include <criterion/criterion.h>

Test(values, base64)
{
    static const struct {
        const char *text;
        const char *bytes; /* NULL: invalid */
    } rows[] = {
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9vYg==", "foob"},
        {"Zm9vYg", "foob"},
        {"+/+/", "\xfb\xff\xbf"},
        {"Z g=", NULL},
        {"Zm9v-", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        crawl_buf out = {0};
        crawl_err err = cw_render_base64(crawl_slice_from(rows[i].text), &out);
        cr_expect_eq(err, rows[i].bytes ? CRAWL_OK : CRAWL_EPARSE, "%s", rows[i].text);
        if (rows[i].bytes)
            cr_expect_str_eq(out.data ? out.data : "", rows[i].bytes, "%s", rows[i].text);
        crawl_buf_free(&out);
    }
}

Test(values, messages)
{
    cw_render_message message;
    char reply[] = "{\"id\":7,\"result\":{\"a\":{\"b\":\"c\"}},\"sessionId\":\"S\"}";
    cr_assert(cw_render_message_read(crawl_slice_from(reply), &message));
    cr_assert(message.is_reply && message.number == 7);
    crawl_slice inner = cw_render_value(message.result, CW_RENDER_NAME("a"));
    crawl_slice text = cw_render_text(inner, CW_RENDER_NAME("b"), NULL);
    cr_assert(crawl_slice_equal(text, crawl_slice_from("c")));
    char event[] = "{\"method\":\"A.b\",\"params\":{\"n\":1.5,\"t\":true}}";
    cr_assert(cw_render_message_read(crawl_slice_from(event), &message));
    cr_assert_not(message.is_reply);
    cr_assert_eq(cw_render_number(message.params, CW_RENDER_NAME("n")), 1.5);
    cr_assert(cw_render_is_true(message.params, CW_RENDER_NAME("t")));
    cr_assert_eq(cw_render_text(message.params, CW_RENDER_NAME("none"), NULL).size, 0);
    char neither[] = "{\"params\":{}}", half[] = "{\"id\":1", list[] = "[1]";
    cr_assert_not(cw_render_message_read(crawl_slice_from(neither), &message));
    cr_assert_not(cw_render_message_read(crawl_slice_from(half), &message));
    cr_assert_not(cw_render_message_read(crawl_slice_from(list), &message));
}
