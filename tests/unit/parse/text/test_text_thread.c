#include "tests/unit/parse/text/one_maker.h"

TestSuite(text_thread, .init = setup, .fini = teardown);

#define SENTENCE "The quick brown fox jumps over the lazy dog, and then it goes home to sleep for a while. "
#define LONG SENTENCE SENTENCE SENTENCE SENTENCE SENTENCE
#define POST(text) "<div class=post><b>Ann</b><p>" text "</p></div>"
#define SMF(text)                                                                          \
    "<div class=windowbg><div class=post_wrapper><h4><a href=/u>Ann Bee Cee</a></h4><div>" \
    "<div class=post><div class=inner id=msg_1>" text "</div></div></div></div></div>"
#define VBULLETIN(number, text)                                                                                        \
    "<div><table id=post" number "><tr><td><a href=/u>Ann</a> Join Date: May 2020<tr><td><div id=post_message_" number \
    ">" text "</div></table></div>"
#define BESIDE "<div class=x><p>beside</p></div>"

Test(text_thread, its_posts_stay)
{
    static const char *const pages[] = {
        "<div><h1>Title</h1>" POST(LONG) POST("Yes.") POST("When?") "</div>" BESIDE,
        "<div id=forumposts>" SMF(LONG) SMF("Yes.") SMF("When?") "</div>" BESIDE,
        "<div id=posts>" VBULLETIN("1", LONG) VBULLETIN("12", "Yes.") VBULLETIN("3", "When?") "</div>" BESIDE,
        "<div><div class='x post-1 hentry'><p>" LONG "</div><div class='x post-2'>Yes.</div><div class='x post-3'>When?"
        "</div></div>" BESIDE,
        "<div><div class=question><p>" LONG
        "</div><div class=answers><div class=answer>Yes. When?</div></div></div>" BESIDE,
    };
    options.form = CRAWL_TEXT_FORM_PLAIN;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const char *text = make_of(crawl_slice_from(pages[i]));
        cr_expect(strstr(text, "Yes.") && strstr(text, "When?") && !strstr(text, "beside"), "%s\n%s", pages[i], text);
    }
}

Test(text_thread, parts_of_another_place_are_no_posts_of_it)
{
    static const char *const pages[] = {
        "<div><div class=post><p>" LONG "</div></div><div><div><div class=post>beside a</div><div class=post>b"
        "</div><div class=post>c</div></div></div>",
        "<div><div class=post><p>" LONG "</div></div><div><div class=post><a href=/a>beside</a></div><div class=post>"
        "<a href=/b>b</a></div></div>",
        "<div><div id=post1><p>" LONG "</div></div><div><div id=postal>beside</div><div id=postbox>b</div></div>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const char *text = make_of(crawl_slice_from(pages[i]));
        cr_expect(!strstr(text, "beside"), "%s\n%s", pages[i], text);
    }
}
