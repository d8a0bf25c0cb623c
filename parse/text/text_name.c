/* Class names and identifiers follow no standard. They are split into words at signs and before capitals (topNav).
 * They speak against a part only if each of their words does, or is a word of place or form: "site-footer" does;
 * "cookie-objects", a manual's section on objects for cookies, does not. Against a part of an article one word is
 * enough, since each rule there has a threshold too (text_article.c). */
#include "parse/text/text_hint.h"

#include "base/bytes.h"
#include "parse/text/text_tree.h"

enum {
    FRAME = 1 << 0, /* frame of the page, not content */
    PLACE = 1 << 1, /* word of place or form, which means nothing alone */
    COMMENT = 1 << 2,
    EXTRA = 1 << 3, /* in an article, but not part of its text */
    CAPTION = 1 << 4,
    ARTICLE = 1 << 5, /* with BODY: the text of an article */
    BODY = 1 << 6,
    POST = 1 << 7,   /* post of a thread */
    WEAK = 1 << 8,   /* with EXTRA or CAPTION: the name may as well be that of a part of the text */
    PROSE = 1 << 9,  /* as BODY; beside weak words the part is text */
    TRAIT = 1 << 10, /* the name tells what a part has or lacks, not what it is */
    WALL = 1 << 11,  /* EXTRA with a word of FRAME or PLACE and none of BODY; else text that has to be paid for */
};

/* Sorted. */
static const struct {
    const char *text;
    unsigned bits;
} name_words[] = {
    {"ad", FRAME | EXTRA},
    {"addthis", EXTRA},
    {"addtoany", EXTRA},
    {"ads", FRAME | EXTRA},
    {"advert", FRAME | EXTRA},
    {"advertisement", FRAME | EXTRA},
    {"advertising", EXTRA},
    {"answer", POST},
    {"area", PLACE},
    {"article", ARTICLE},
    {"aside", EXTRA},
    {"author", EXTRA},
    {"authors", EXTRA},
    {"banner", PLACE},
    {"bar", PLACE},
    {"barrier", PLACE},
    {"bio", EXTRA},
    {"block", PLACE},
    {"blog", ARTICLE},
    {"body", BODY},
    {"bottom", PLACE},
    {"box", PLACE},
    {"breadcrumb", FRAME | EXTRA},
    {"breadcrumbs", FRAME | EXTRA},
    {"bs", PLACE},
    {"btn", PLACE},
    {"byline", EXTRA},
    {"bylines", EXTRA},
    {"callout", EXTRA},
    {"caption", CAPTION},
    {"captions", CAPTION},
    {"categories", EXTRA},
    {"col", PLACE},
    {"comment", COMMENT | POST},
    {"commenting", COMMENT},
    {"commentlist", COMMENT},
    {"comments", COMMENT},
    {"consent", FRAME},
    {"container", PLACE},
    {"content", BODY},
    {"contentinfo", FRAME},
    {"cookie", FRAME},
    {"cookies", FRAME},
    {"copy", BODY},
    {"copyright", FRAME | EXTRA},
    {"credit", CAPTION},
    {"credits", EXTRA},
    {"cta", EXTRA},
    {"date", EXTRA | WEAK},
    {"dateline", EXTRA | WEAK},
    {"dialog", PLACE},
    {"disclaimer", EXTRA},
    {"discussion", COMMENT},
    {"disqus", FRAME | COMMENT},
    {"doc", PLACE},
    {"donate", EXTRA},
    {"editor", PROSE},
    {"elementor", PROSE},
    {"email", EXTRA | WEAK},
    {"entry", ARTICLE | POST},
    {"figcaption", CAPTION},
    {"follow", EXTRA},
    {"footer", FRAME | PLACE | EXTRA},
    {"full", PLACE},
    {"gallery", CAPTION | WEAK},
    {"gdpr", FRAME},
    {"global", PLACE},
    {"group", PLACE},
    {"has", TRAIT},
    {"hashtags", EXTRA},
    {"header", PLACE},
    {"image", CAPTION | WEAK},
    {"images", CAPTION | WEAK},
    {"inner", PLACE},
    {"interstitial", EXTRA},
    {"js", PLACE},
    {"keywords", EXTRA | WEAK},
    {"latest", EXTRA | WEAK},
    {"left", PLACE},
    {"linenodiv", FRAME},
    {"linenos", FRAME},
    {"links", PLACE},
    {"list", PLACE},
    {"login", EXTRA},
    {"main", PLACE},
    {"masthead", FRAME},
    {"menu", FRAME},
    {"message", PLACE | POST},
    {"meta", EXTRA | WEAK},
    {"metadata", EXTRA | WEAK},
    {"mobile", PLACE},
    {"modal", FRAME},
    {"more", EXTRA | WEAK},
    {"nav", FRAME},
    {"navbar", FRAME},
    {"navfooter", FRAME},
    {"navheader", FRAME},
    {"navi", FRAME},
    {"navigation", FRAME},
    {"navpath", FRAME},
    {"news", ARTICLE},
    {"newsletter", FRAME | EXTRA},
    {"newsletters", EXTRA},
    {"next", EXTRA | WEAK},
    {"nextprev", EXTRA},
    {"no", TRAIT},
    {"non", TRAIT},
    {"noprint", FRAME},
    {"notice", PLACE},
    {"outbrain", EXTRA},
    {"outer", PLACE},
    {"overlay", PLACE},
    {"page", PLACE},
    {"pager", FRAME | EXTRA},
    {"pagination", FRAME | EXTRA},
    {"panel", PLACE},
    {"path", PLACE},
    {"paywall", WALL},
    {"photo", CAPTION | WEAK},
    {"photos", CAPTION | WEAK},
    {"picture", CAPTION | WEAK},
    {"popular", EXTRA | WEAK},
    {"popup", FRAME},
    {"post", ARTICLE | POST},
    {"postmeta", EXTRA},
    {"prev", EXTRA | WEAK},
    {"primary", PLACE},
    {"print", EXTRA | WEAK},
    {"promo", FRAME | EXTRA},
    {"promos", EXTRA},
    {"prompt", PLACE},
    {"pubdate", EXTRA | WEAK},
    {"published", EXTRA | WEAK},
    {"question", POST},
    {"rating", EXTRA | WEAK},
    {"reactions", EXTRA},
    {"readmore", EXTRA},
    {"recirc", EXTRA},
    {"recirculation", EXTRA},
    {"recommendation", EXTRA},
    {"recommendations", EXTRA},
    {"recommended", EXTRA},
    {"related", PLACE | EXTRA},
    {"replies", COMMENT},
    {"reply", POST},
    {"respond", COMMENT},
    {"right", PLACE},
    {"row", PLACE},
    {"searchbox", FRAME},
    {"secondary", PLACE},
    {"section", PLACE},
    {"share", FRAME | EXTRA},
    {"sharedaddy", EXTRA},
    {"shares", EXTRA},
    {"sharing", FRAME | EXTRA},
    {"side", PLACE},
    {"sidebar", FRAME | EXTRA},
    {"sidenav", FRAME},
    {"signin", EXTRA},
    {"signup", EXTRA},
    {"site", PLACE},
    {"skip", FRAME},
    {"skiplink", FRAME},
    {"skiplinks", FRAME},
    {"slide", CAPTION | WEAK},
    {"slides", CAPTION | WEAK},
    {"slideshow", CAPTION | WEAK},
    {"small", PLACE},
    {"social", FRAME | EXTRA},
    {"sphinxsidebar", FRAME},
    {"sphinxsidebarwrapper", FRAME},
    {"spirit", PLACE},
    {"sponsor", FRAME | EXTRA},
    {"sponsored", EXTRA},
    {"sticky", PLACE | EXTRA},
    {"story", ARTICLE},
    {"sub", PLACE},
    {"subscribe", FRAME | EXTRA},
    {"subscription", EXTRA},
    {"taboola", EXTRA},
    {"tag", EXTRA},
    {"tagline", EXTRA},
    {"taglist", EXTRA},
    {"tags", EXTRA},
    {"teasers", EXTRA},
    {"text", PLACE | BODY},
    {"time", EXTRA | WEAK},
    {"timestamp", EXTRA | WEAK},
    {"to", PLACE},
    {"toolbar", FRAME | EXTRA},
    {"top", PLACE},
    {"topbar", FRAME},
    {"topics", EXTRA | WEAK},
    {"topnav", FRAME},
    {"trending", EXTRA},
    {"updated", EXTRA | WEAK},
    {"upsell", EXTRA},
    {"videos", EXTRA | WEAK},
    {"wall", PLACE},
    {"widget", EXTRA | WEAK},
    {"widgets", EXTRA | WEAK},
    {"with", TRAIT},
    {"without", TRAIT},
    {"wrap", PLACE},
    {"wrapper", PLACE},
};

/* Returns the bits of a word in lower case. */
static unsigned bits_of_word(crawl_slice word)
{
    for (size_t low = 0, high = sizeof name_words / sizeof *name_words; low < high;) {
        size_t middle = (low + high) / 2;
        crawl_slice other = crawl_slice_from(name_words[middle].text);
        int order = memcmp(other.data, word.data, other.size < word.size ? other.size : word.size);
        if (order == 0 && other.size == word.size)
            return name_words[middle].bits;
        if (order < 0 || (order == 0 && other.size < word.size))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Takes the next word off the front of a name, in lower case. False: none, or longer than any listed word. */
static bool text_name_take_word(crawl_slice *name, char *lower, size_t most, crawl_slice *word)
{
    size_t from = 0;
    while (from < name->size && !cw_is_alpha((unsigned char)name->data[from]))
        from++;
    *name = cw_drop(*name, from);
    size_t size = 0;
    while (size < name->size && cw_is_alpha((unsigned char)name->data[size])) {
        bool capital = name->data[size] >= 'A' && name->data[size] <= 'Z';
        if (size && capital && !(name->data[size - 1] >= 'A' && name->data[size - 1] <= 'Z'))
            break;
        size++;
    }
    if (!size || size >= most)
        return false;
    *word = cw_take(name, size);
    cw_copy_lower(lower, *word);
    word->data = lower;
    return true;
}

enum { WORD_MAX = 24, NAME_MAX = 64 };

/* The classes of all words of a name. */
typedef struct name_sum {
    unsigned seen;
    bool is_sure;  /* a word for EXTRA or CAPTION is not weak */
    bool is_frame; /* only words of frames and places */
    bool is_known; /* only listed words */
} name_sum;

static name_sum sum_name(crawl_slice name)
{
    char lower[WORD_MAX];
    crawl_slice word;
    name_sum sum = {.is_frame = true, .is_known = true};
    while (name.size && name.size <= NAME_MAX) {
        char last = name.data[name.size - 1];
        if (!text_name_take_word(&name, lower, sizeof lower, &word)) {
            sum.is_frame = sum.is_frame && !cw_is_alpha((unsigned char)last);
            break;
        }
        unsigned bits = bits_of_word(word);
        sum.seen |= bits;
        sum.is_sure = sum.is_sure || (bits & (EXTRA | CAPTION) && !(bits & WEAK));
        sum.is_frame = sum.is_frame && bits & (FRAME | PLACE);
        sum.is_known = sum.is_known && bits;
    }
    return sum;
}

/* Returns the flags of a name that speaks against a part of an article. */
static unsigned flags_against(const name_sum *sum)
{
    unsigned seen = sum->seen;
    if (seen & TRAIT)
        seen &= ~(unsigned)(COMMENT | EXTRA);
    if (seen & PROSE && !sum->is_sure)
        seen &= ~(unsigned)(EXTRA | CAPTION);
    if (seen & WALL && seen & (FRAME | PLACE) && !(seen & BODY))
        seen |= EXTRA; /* not sure: it may be around the text */
    unsigned how = sum->is_sure && !(seen & TRAIT) ? CW_SECTION_SURE : CW_SECTION_LIKELY;
    if (!(seen & (EXTRA | CAPTION)) || (!sum->is_sure && seen & (BODY | TRAIT)))
        how = 0;
    return (seen & COMMENT ? CW_SECTION_COMMENTS : 0u) | (seen & EXTRA ? CW_SECTION_EXTRA : 0u) |
           (seen & CAPTION ? CW_SECTION_CAPTION : 0u) | how;
}

static unsigned flags_of(const name_sum *sum)
{
    unsigned seen = sum->seen;
    bool is_body = seen & ARTICLE && seen & BODY && !(seen & (COMMENT | EXTRA | CAPTION));
    return (sum->is_frame && seen & FRAME ? CW_SECTION_HINT : 0u) | (is_body ? CW_SECTION_BODY : 0u) |
           flags_against(sum);
}

/* Returns a hash of the letters of a name, without its numbers. */
static uint32_t hash_of_post(crawl_slice name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    if (cw_is_nocase(name, "question") || cw_is_nocase(name, "answer"))
        return CW_TEXT_ANSWER;
    for (size_t i = 0; i < name.size; i++)
        if (!cw_is_digit((unsigned char)name.data[i]))
            hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
    return hash;
}

unsigned cw_text_name_flags(crawl_slice class, crawl_slice id, uint32_t *post)
{
    enum { CLASSES_MAX = 16 };
    id = cw_trim(id);
    name_sum sum = sum_name(id);
    bool is_numbered = id.size && cw_is_digit((unsigned char)id.data[id.size - 1]);
    uint32_t post_id = is_numbered && sum.seen & POST ? hash_of_post(id) : 0;
    *post = 0;
    if (!sum.is_known) /* an identifier may be made of a heading's words */
        sum.seen &= ~(unsigned)(COMMENT | EXTRA | CAPTION);
    unsigned flags = flags_of(&sum);
    unsigned classes = 0;
    for (crawl_slice name = cw_take_word(&class, false); name.size && classes < CLASSES_MAX; classes++) {
        sum = sum_name(name);
        flags |= flags_of(&sum);
        if (cw_is(name, "hentry") || cw_is(name, "status-publish"))
            flags |= CW_SECTION_ENTRY;
        if (!*post && sum.seen & POST)
            *post = hash_of_post(name);
        if (cw_is(name, "related")) /* the only class of Sphinx's link bars above and below a page */
            flags |= CW_SECTION_HINT;
        name = cw_take_word(&class, false);
    }
    if (!*post)
        *post = post_id;
    return flags;
}
