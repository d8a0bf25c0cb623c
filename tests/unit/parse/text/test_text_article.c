/* Tests which pages count as articles, where the text of an article is, and which parts are left out. */
#include <crawl/text.h>

#include <criterion/criterion.h>

#include <stdio.h>

static crawl_text_maker *maker;
static char page[65536];

static void setup(void)
{
    maker = crawl_text_maker_create();
    cr_assert(maker);
}

static void teardown(void)
{
    crawl_text_maker_free(maker);
}

TestSuite(article, .init = setup, .fini = teardown);

#define SENTENCE "The harbour was rebuilt after the great storm with stones from the old mill on the hill. "
#define PARAGRAPH "<p>" SENTENCE SENTENCE SENTENCE SENTENCE "</p>"
#define DATED "<meta property='article:published_time' content=2024-05-01>"

/* Returns the text of a page with this head and body. */
static const char *article_text(const char *head, const char *body, crawl_text_form form)
{
    crawl_text_options options = {.size = sizeof options, .form = form, .document = CRAWL_DOCUMENT_HTML};
    crawl_slice text;
    snprintf(page, sizeof page, "<head>%s</head><body>%s</body>", head, body);
    cr_assert_eq(crawl_text_make(maker, crawl_slice_from(page), &options, &text), CRAWL_OK);
    return text.size ? text.data : "";
}

static const char *plain_text(const char *head, const char *body)
{
    return article_text(head, body, CRAWL_TEXT_FORM_PLAIN);
}

/* --- which pages are articles --- */

#define COMMENTED "<div>" PARAGRAPH PARAGRAPH "</div><div class=comment-list><p>first answer. " SENTENCE "</p></div>"

Test(article, is_told_by_what_the_page_says_of_itself)
{
    static const struct {
        const char *head;
        bool is_article;
    } rows[] = {
        {"", false},
        {DATED, true},
        {"<meta name=article:published_time content=2024>", true},
        {"<meta property=og:type content=article>", true},
        {"<meta property=og:type content=website>", false},
        {"<meta property=og:type content=product>" DATED, false},
        {"<script type=application/ld+json>{\"@type\":\"NewsArticle\"}</script>", true},
        {"<script type=application/ld+json>{\"@type\" : [ \"WebPage\", \"BlogPosting\"]}</script>", true},
        {"<script type=application/ld+json>{\"@type\":\"http://schema.org/Article\", cut</script>", true},
        {"<script>{\"@type\":\"NewsArticle\"}</script>", false},
        {"<script type=application/ld+json>{\"@type\":\"TechArticle\"}</script>", false},
        {"<script type=application/ld+json>[{\"@type\":\"Product\"},{\"@type\":\"NewsArticle\"}]</script>", false},
        {"<script type=application/ld+json>{\"@type\":\"DiscussionForumPosting\"}</script>" DATED, false},
        {"<script type=application/ld+json>{\"@type\":\"Recipe\"}</script>" DATED, false},
        {"<meta name=generator content='Discourse 3.1'>" DATED, false},
        {"<div itemscope itemtype=https://schema.org/NewsArticle></div>", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = plain_text(rows[i].head, COMMENTED);
        cr_expect_eq(!strstr(text, "first answer"), rows[i].is_article, "%s: %s", rows[i].head, text);
    }
}

Test(article, is_told_by_one_text_with_comments_below_it)
{
    const char *comments = "<div id=comments><p>first answer. " SENTENCE "</p></div>";
    char body[8192];
    snprintf(body, sizeof body, "<article>" PARAGRAPH PARAGRAPH "</article>%s", comments);
    cr_expect(!strstr(plain_text("", body), "first answer"));
    snprintf(body, sizeof body, "<article>" PARAGRAPH "</article><article>" PARAGRAPH "</article>%s", comments);
    cr_expect(strstr(plain_text("", body), "first answer"), "a thread has many");
}

Test(article, is_no_short_page_that_only_og_type_calls_so)
{
    const char *body = "<article><h1>Contact</h1><p>Acme Ltd<p>Phone: 020 123 456<p>" SENTENCE "<p>Director: Ann Smith"
                       "<p>VAT: GB 123 456</article>";
    const char *text = plain_text("<meta property=og:type content=article>", body);
    cr_expect(strstr(text, "Acme") && strstr(text, "020") && strstr(text, "Ann") && strstr(text, "GB"), "%s", text);
    cr_expect(!strstr(plain_text(DATED, body), "GB"), "it may be a byline");
}

/* WordPress writes each comment as an article. */
Test(article, has_comments_that_are_articles)
{
#define COMMENT "<li class=comment><article class=comment-body><p>an answer. " SENTENCE SENTENCE "</p></article></li>"
    const char *body =
        "<main><article><h1>Title</h1>own." PARAGRAPH
        "</article><ol class=comment-list>" COMMENT COMMENT COMMENT COMMENT COMMENT COMMENT COMMENT COMMENT
        "</ol></main>";
    const char *text = plain_text("<meta property=og:type content=article>", body);
    cr_expect(strstr(text, "own.") && !strstr(text, "an answer"), "%s", text);
#undef COMMENT
}

Test(article, is_none_of_a_list_whose_items_are_articles)
{
#define ITEM "<article><div class=date><p>" SENTENCE "</p></div></article>"
    const char *body = ITEM ITEM ITEM ITEM ITEM;
    const char *head = "<script type=application/ld+json>{\"@type\":\"BlogPosting\"}</script>";
    cr_expect(strstr(plain_text(head, body), "harbour"));
}

/* --- where its text is --- */

Test(article, is_the_part_that_is_called_so)
{
    static const char *const names[] = {"itemprop=articleBody", "class=article-body", "class='x entry-content'",
                                        "id=storyText", "class=post__content"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char body[8192];
        snprintf(body, sizeof body,
                 "<main><h1>Title</h1><div %s>" PARAGRAPH PARAGRAPH "</div><div class=x><p>beside it. " SENTENCE
                 "</p></div></main>",
                 names[i]);
        const char *text = plain_text(DATED, body);
        cr_expect(strstr(text, "Title\n") && strstr(text, "harbour"), "%s", names[i]);
        cr_expect(!strstr(text, "beside"), "%s", names[i]);
    }
}

Test(article, has_its_standfirst_with_the_title_above_it)
{
#define STANDFIRST "A year of work with stones from the mill: what the harbour costs."
#define TEXT "<article><p>" SENTENCE SENTENCE "</p></article>"
    static const struct {
        const char *body;
        bool has_it;
    } rows[] = {
        {"<h1>Title</h1><p class=standfirst>" STANDFIRST "</p>" TEXT, true},
        {"<header><h1>Title</h1><p>" STANDFIRST "</p><p>By Ann</p></header>" TEXT, true},
        {"<main><div><h1>Title</h1><div><b>" STANDFIRST "</b></div></div>" TEXT "</main>", true},
        {"<div><h1>Title</h1></div><h2>" STANDFIRST "</h2>" TEXT, true},
        {"<h1>Title</h1><nav><p>" STANDFIRST "</p></nav>" TEXT, false},
        {"<h1>Title</h1><p class=caption>" STANDFIRST "</p>" TEXT, false},
        {"<h1>Title</h1><h2>Other</h2><p>" STANDFIRST "</p>" TEXT, false},
        {"<h1>Title</h1><img src=x alt=y><p>" STANDFIRST "</p>" TEXT, false},
        {"<h1>Title</h1><p>1 May 2024 | Written by Ann A with Bob B for us (all of them)</p>" TEXT, false},
        {TEXT "<h1>Title</h1><p>" STANDFIRST "</p>", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = plain_text(DATED, rows[i].body);
        cr_expect_eq(strstr(text, STANDFIRST) || strstr(text, "Written"), rows[i].has_it, "%s: %s", rows[i].body, text);
        cr_expect(strstr(text, "harbour was rebuilt") && !strstr(text, "By Ann"), "%s", text);
    }
}

Test(article, may_be_cut_into_pieces)
{
    const char *text = plain_text(DATED, "<article><div class=article-body>one. " PARAGRAPH "</div><div>an offer</div>"
                                         "<div class=article-body>two. " PARAGRAPH "</div></article>"
                                         "<article><div class=article-body>other. " PARAGRAPH "</div></article>");
    cr_expect(strstr(text, "one.") && strstr(text, "two."), "%s", text);
    cr_expect(!strstr(text, "an offer") && !strstr(text, "other."), "%s", text);
}

/* Teasers may have more text than the article. */
Test(article, is_the_one_with_the_title_of_the_page)
{
#define TEASERS "<article><h3>More</h3><article>other." PARAGRAPH "</article><article>" PARAGRAPH "</article></article>"
    const char *text = plain_text(DATED, "<article><h1>Title</h1>own." PARAGRAPH "</article>" TEASERS);
    cr_expect(strstr(text, "own.") && !strstr(text, "other."), "%s", text);
    /* The title may be in an article of its own, apart from the text. */
    text = plain_text(DATED, "<article><h1>Title</h1></article><article>own." PARAGRAPH "</article>");
    cr_expect(strstr(text, "own."), "%s", text);
    text = plain_text(DATED, "<article><h1>Title</h1><p>" SENTENCE "</p></article><div>own." PARAGRAPH PARAGRAPH
                             "</div>" TEASERS);
    cr_expect(strstr(text, "own."), "%s", text);
    /* Several such titles decide nothing. */
    text = plain_text(DATED, "<article><h1>One</h1>small.<p>" SENTENCE
                             "</p></article><article><h1>Two</h1>own." PARAGRAPH PARAGRAPH "</article>");
    cr_expect(strstr(text, "own.") && !strstr(text, "small."), "%s", text);
#undef TEASERS
}

/* --- parts that do not belong to it --- */

#define ARTICLE_OF(part) "<article>" PARAGRAPH PARAGRAPH part PARAGRAPH PARAGRAPH "</article>"

Test(article, is_without_what_stands_in_it_and_is_none_of_its_text)
{
    static const struct {
        const char *body;
        bool stays;
    } rows[] = {
        {ARTICLE_OF("<div class=related-stories><p>in between: " SENTENCE "</p></div>"), false},
        {ARTICLE_OF("<p class=byline>in between: by Somebody.</p>"), false},
        {ARTICLE_OF("<figure><img src=x><figcaption>in between: a harbour.</figcaption></figure>"), false},
        {ARTICLE_OF("<div><a href=/a>in between: another story of the same town</a></div>"), false},
        {ARTICLE_OF("<p><a href=/a>in between: another story of the same town</a>"), false},
        {ARTICLE_OF("<img src=x alt='in between: a harbour'>"), false},
        {ARTICLE_OF("<div class=note><p>in between: " SENTENCE "</p></div>"), true},
        {ARTICLE_OF("<blockquote class=related-post><p>in between: " SENTENCE "</p></blockquote>"), true},
        {ARTICLE_OF("<h2><a href=/a>in between: a product</a></h2><p>" SENTENCE), true},
        {ARTICLE_OF("<ul><li>in between: eggs<li>flour</ul>"), true},
        {ARTICLE_OF("<p>13. <a href=/a>in between: another story of the same town and its harbour</a></p>"), true},
        {ARTICLE_OF("<div id=share-of-the-market><p>in between: " SENTENCE "</p></div>"), true},
        {ARTICLE_OF("<figure class=highlight><pre>in between: code</pre></figure>"), true},
        {"<article><div class=date><p>in between: " SENTENCE SENTENCE SENTENCE "</p></div>" PARAGRAPH "</article>",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text = plain_text(DATED, rows[i].body);
        cr_expect_eq(!!strstr(text, "in between"), rows[i].stays, "row %zu: %s", i, text);
        cr_expect(strstr(plain_text("", rows[i].body), "in between"), "row %zu of a page of another kind", i);
    }
}

/* Each part has few of the words, and all together are the text. */
Test(article, keeps_parts_whose_names_would_leave_nothing)
{
    static const char *const names[] = {"elementor-widget elementor-widget-text-editor",
                                        "slide",
                                        "gallery-item",
                                        "text-image",
                                        "has-photo",
                                        "callout",
                                        "widget",
                                        "print-area",
                                        "latest-news",
                                        "credit-card",
                                        "next-steps",
                                        "email-body",
                                        "author-note"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char body[8192];
        size_t size = (size_t)snprintf(body, sizeof body, "<main><article><h1>Title</h1>");
        for (int part = 0; part < 8; part++)
            size += (size_t)snprintf(body + size, sizeof body - size,
                                     "<div class='%s'><h2>Head</h2><p>" SENTENCE "Part %d.</p></div>", names[i], part);
        const char *text = plain_text(DATED, body);
        cr_expect(strstr(text, "Head\n\nThe") && strstr(text, "Part 0.") && strstr(text, "Part 7."), "%s: %s", names[i],
                  text);
    }
}

/* Names that say that a part is text, or what it has or lacks. */
Test(article, keeps_parts_that_are_called_text)
{
    static const struct {
        const char *name;
        bool stays;
    } rows[] = {
        {"image-text", true},           {"content-slide", true},    {"has-photo", true},
        {"text-block--with-ads", true}, {"elementor-widget", true}, {"paywall", true},
        {"non-paywall", true},          {"paywall-content", true},  {"image", false},
        {"caption-text", false},        {"newsletter-body", false}, {"has-caption", false},
        {"paywall-prompt", false},      {"paywall__modal", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[8192];
        snprintf(body, sizeof body,
                 "<article>" PARAGRAPH PARAGRAPH "<div class=%s><p>in between: " SENTENCE "</p></div>" PARAGRAPH
                 "</article>",
                 rows[i].name);
        cr_expect_eq(!!strstr(plain_text(DATED, body), "in between"), rows[i].stays, "%s", rows[i].name);
    }
}

/* WordPress makes them of the tags and categories of a post. */
Test(article, may_have_any_class)
{
    static const char *const classes[] = {"post hentry tag-slides date-2020", "post hentry category-related",
                                          "post status-publish category-comments", "image"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char body[8192];
        snprintf(body, sizeof body,
                 "<article class='%s'><h1>Title</h1><p>own. " SENTENCE "</p></article>" PARAGRAPH PARAGRAPH
                 "<div class=comments><p>" SENTENCE "</p></div>",
                 classes[i]);
        cr_expect(strstr(plain_text(DATED, body), "own."), "%s", classes[i]);
    }
}

Test(article, begins_and_ends_with_a_sentence)
{
    const char *body = "<article><h1>Title</h1><div>3 days ago</div><p>Short.</p>" PARAGRAPH PARAGRAPH
                       "<p>It ends.</p><div>Print it</div><h3>More</h3></article>";
    cr_expect_str_eq(plain_text(DATED, body), "Title\n\nShort.\n\n" SENTENCE SENTENCE SENTENCE
                                              "The harbour was rebuilt after the great storm with stones from the old "
                                              "mill on the hill.\n\n" SENTENCE SENTENCE SENTENCE
                                              "The harbour was rebuilt after the great storm with stones from the old "
                                              "mill on the hill.\n\nIt ends.\n");
    const char *linked = "<article>" PARAGRAPH "<p>It was <a href=/a>the end.</a></p><p><b>Print</b> <a href=b>it</a>";
    const char *text = article_text(DATED, linked, CRAWL_TEXT_FORM_MARKDOWN);
    cr_expect(strstr(text, "It was [the end.](/a)\n") && !strstr(text, "Print"), "%s", text);
}

Test(article, keeps_its_images_in_markdown)
{
    const char *body = "<article><p><img src=/a.png alt='a harbour'>" PARAGRAPH "</article>";
    cr_expect(strstr(article_text(DATED, body, CRAWL_TEXT_FORM_MARKDOWN), "![a harbour](/a.png)\n"));
    cr_expect(!strstr(plain_text(DATED, body), "a harbour\n"));
}

Test(article, may_be_a_poem)
{
    static const char *const poems[] = {
        "<p>old pond<br>frog leaps in<br>water sound</p>",
        "<p>old pond</p><p>frog leaps in</p><p>water sound</p>",
        "<p>old pond<br>the harbour</p><p>" SENTENCE "</p><p>a frog<br>leaps in</p><p>water<br>sound</p>",
        "<p>old pond<br>the harbour</p><p>frog<br>leaps</p><p>" SENTENCE "</p><p>a frog<br>leaps in<br>water<br>sound",
    };
    for (size_t i = 0; i < sizeof poems / sizeof *poems; i++) {
        char body[4096];
        snprintf(body, sizeof body, "<article><h1>Haiku</h1>%s</article>", poems[i]);
        const char *text = plain_text(DATED, body);
        cr_expect((strstr(text, "old pond") || i == 2) && strstr(text, "sound"), "poem %zu: %s", i, text);
    }
}

Test(article, ends_with_a_sentence_of_any_script)
{
    static const struct {
        const char *line;
        bool stays;
    } rows[] = {
        {"यह अंत है।", true},
        {"यह अंत है॥", true},
        {"هل هذه النهاية؟", true},
        {"یہ آخر ہے۔", true},
        {"「さようなら」", true},
        {"Վերջ։", true},
        {"ማለቂያው ነው።", true},
        {"ចប់។", true},
        {"Das ist „das Ende“", true},
        {"She said: ‘It ends.’", true},
        {"Il dit : « C’est la fin »", true},
        {"Er sagt: »Das Ende.«", true},
        {"Wait for it…", true},
        {"Read more »", false},
        {"Lire la suite ›", false},
        {"Ann Smith •", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[4096];
        snprintf(body, sizeof body, "<article><h1>Title</h1>" PARAGRAPH "<p>%s</p></article>", rows[i].line);
        cr_expect_eq(!!strstr(plain_text(DATED, body), rows[i].line), rows[i].stays, "%s", rows[i].line);
    }
}

Test(article, may_have_no_spaces_between_its_words)
{
    static const char *const sentences[] = {
        "ท่าเรือถูกสร้างขึ้นใหม่หลังพายุใหญ่ด้วยหินจากโรงสีเก่าบนเนินเขา",
        "ທ່າເຮືອໄດ້ຖືກສ້າງຂຶ້ນໃໝ່ຫຼັງຈາກພາຍຸໃຫຍ່ດ້ວຍຫີນຈາກໂຮງສີເກົ່າ",
        "ကြီးမားသောမုန်တိုင်းပြီးနောက်ဆိပ်ကမ်းကိုတောင်ပေါ်ရှိစက်ဟောင်းမှကျောက်တုံးများဖြင့်ပြန်လည်တည်ဆောက်ခဲ့သည်",
        "កំពង់ផែត្រូវបានសាងសង់ឡើងវិញបន្ទាប់ពីព្យុះដ៏ធំដោយថ្មពីរោងម៉ាស៊ីនចាស់",
        "གྲུ་ཁ་འདི་རླུང་འཚུབ་ཆེན་པོའི་རྗེས་སུ་རི་སྒང་གི་རང་འཐག་རྙིང་པའི་རྡོ་བཀོལ་ནས་བསྐྱར་བཞེངས་བྱས",
    };
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        char body[8192];
        snprintf(body, sizeof body, "<article><h1>Title</h1><p>%s</p><p>%s</p><p>%s</p></article>", sentences[i],
                 sentences[i], sentences[i]);
        cr_expect(strstr(plain_text(DATED, body), sentences[i]), "%s", sentences[i]);
    }
}
