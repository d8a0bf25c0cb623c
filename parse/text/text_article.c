#include "parse/text/text_article.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <unictype.h>

/* In percent, found on the pages of scrapinghub/article-extraction-benchmark. Halving or doubling any of them
 * changes F by less than 0.01. */
enum {
    BODY_SHARE = 30,    /* of the page's running text, needed by a part named as an article's body */
    ELEMENT_SHARE = 50, /* the same for <article> */
    PIECE_SHARE = 30,   /* of the fullest part, needed by another piece of the same text */
    EXTRA_SHARE = 30,   /* of the article's words: a part with as many is never left out */
    EXTRA_WEIGHT = 30,  /* of its running text: a part named as extra with as many stays */
    PRUNED_SHARE = 80,  /* of it, in all such parts together: those with running text stay */
    WEAK_SHARE = 40,    /* the same for names that may mean something else */
    LINKED_PART = 50,   /* words in links at which a part without running text is left out */
    LINKED_LIST = 80,
    LINKED_LINE = 90,
    SCRAP_WORDS = 10,
};

static bool is_share(uint64_t part, uint64_t whole, unsigned percent)
{
    return part * 100 >= whole * percent;
}

/* Returns the innermost section with the flag that is or contains this section. CW_TEXT_NONE: none. */
static uint32_t article_around(const cw_text_tree *tree, uint32_t at, uint32_t flag)
{
    while (at != CW_TEXT_NONE && !(cw_text_section_at(tree, at)->flags & flag))
        at = cw_text_section_at(tree, at)->parent;
    return at;
}

/* --- whether the page is one article --- */

/* The outermost parts with a flag that have running text, without comments. */
typedef struct article_parts {
    unsigned count;
    uint32_t fullest; /* words of running text */
} article_parts;

static article_parts count_parts(const cw_text_tree *tree, uint32_t flag)
{
    article_parts parts = {0};
    for (size_t i = 1; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        bool is_inner = article_around(tree, section->parent, flag) != CW_TEXT_NONE;
        if (!(section->flags & flag) || !section->weight || is_inner ||
            article_around(tree, (uint32_t)i, CW_SECTION_COMMENTS) != CW_TEXT_NONE)
            continue;
        parts.count++;
        parts.fullest = section->weight > parts.fullest ? section->weight : parts.fullest;
    }
    return parts;
}

static bool has_comments(const cw_text_tree *tree)
{
    for (size_t i = 1; i < tree->sections.count; i++)
        if (cw_text_section_at(tree, i)->flags & CW_SECTION_COMMENTS)
            return true;
    return false;
}

bool cw_text_article_is_one(const cw_text_tree *tree, cw_text_kind kind)
{
    enum { MANY = 3, SHORT_WORDS = 100 };
    article_parts bodies = count_parts(tree, CW_SECTION_BODY);
    article_parts elements = count_parts(tree, CW_SECTION_ARTICLE);
    uint32_t fullest = bodies.fullest > elements.fullest ? bodies.fullest : elements.fullest;
    uint32_t weight = cw_text_section_at(tree, 0)->weight;
    bool is_list = (bodies.count >= MANY || elements.count >= MANY) && !is_share(fullest, weight, BODY_SHARE);
    if (kind == CW_KIND_UNKNOWN || (kind == CW_KIND_SAID_ARTICLE && weight < SHORT_WORDS)) /* a contact page */
        return (bodies.count == 1 || elements.count == 1) && has_comments(tree);
    return kind == CW_KIND_ARTICLE || (kind != CW_KIND_OTHER && !is_list);
}

void cw_text_article_drop_comments(cw_text_tree *tree)
{
    uint32_t words = cw_text_section_at(tree, 0)->words;
    cw_text_section_at(tree, 0)->weight = 0;
    for (size_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        section->weight = 0;
        section->verdict |= cw_text_section_at(tree, section->parent)->verdict & CW_VERDICT_OUT;
        if (section->flags & CW_SECTION_COMMENTS && section->words * 2ull <= words)
            section->verdict |= CW_VERDICT_OUT;
    }
}

/* --- where it is --- */

static bool is_candidate(const cw_text_section *section, uint32_t flag)
{
    return section->flags & flag && section->flags & CW_SECTION_PLAIN && !(section->verdict & CW_VERDICT_OUT);
}

static bool is_in(const cw_text_tree *tree, uint32_t inner, uint32_t outer)
{
    while (inner != CW_TEXT_NONE && inner > outer)
        inner = cw_text_section_at(tree, inner)->parent;
    return inner == outer;
}

/* Returns the first of the fullest sections with the flag. CW_TEXT_NONE: none has running text. */
static uint32_t find_fullest(const cw_text_tree *tree, uint32_t flag)
{
    uint32_t fullest = CW_TEXT_NONE;
    for (uint32_t i = 1; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        uint32_t before = fullest == CW_TEXT_NONE ? 0 : cw_text_section_at(tree, fullest)->weight;
        if (is_candidate(section, flag) && section->weight > before)
            fullest = i;
    }
    return fullest;
}

static uint32_t outermost_article(const cw_text_tree *tree, uint32_t at)
{
    uint32_t outermost = CW_TEXT_NONE;
    for (; at != CW_TEXT_NONE; at = cw_text_section_at(tree, at)->parent)
        if (cw_text_section_at(tree, at)->flags & CW_SECTION_ARTICLE)
            outermost = at;
    return outermost;
}

/* Returns the only outermost <article> with a title of the first level, if it has running text. CW_TEXT_NONE: none,
 * or several. */
static uint32_t find_titled(const cw_text_tree *tree)
{
    uint32_t titled = CW_TEXT_NONE;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        bool is_first = block->kind == CW_BLOCK_HEADING && block->level == 1;
        uint32_t at = is_first ? outermost_article(tree, block->section) : CW_TEXT_NONE;
        if (at == CW_TEXT_NONE || at == titled)
            continue;
        if (titled != CW_TEXT_NONE)
            return CW_TEXT_NONE;
        titled = at;
    }
    bool is_full = titled != CW_TEXT_NONE && is_candidate(cw_text_section_at(tree, titled), CW_SECTION_ARTICLE) &&
                   cw_text_section_at(tree, titled)->weight;
    return is_full ? titled : CW_TEXT_NONE;
}

/* Returns the words of running text in the outermost <article> elements except one. These are other articles. */
static uint32_t weigh_others(const cw_text_tree *tree, uint32_t titled)
{
    uint32_t weight = 0;
    for (uint32_t i = 1; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        if (i != titled && section->flags & CW_SECTION_ARTICLE && outermost_article(tree, i) == i)
            weight += section->weight;
    }
    return weight;
}

/* Returns the smallest section with the flag that has four fifths of the running text of the titled article or,
 * without one, of the fullest section, and is that section or lies in it. CW_TEXT_NONE: none has the flag, or too
 * small a share of the page's running text. */
static uint32_t find_scope(const cw_text_tree *tree, uint32_t flag, unsigned percent)
{
    uint32_t titled = flag == CW_SECTION_ARTICLE ? find_titled(tree) : CW_TEXT_NONE;
    uint32_t fullest = titled == CW_TEXT_NONE ? find_fullest(tree, flag) : titled;
    if (fullest == CW_TEXT_NONE)
        return CW_TEXT_NONE;
    uint32_t scope = fullest;
    uint32_t weight = cw_text_section_at(tree, fullest)->weight;
    uint32_t others = titled == CW_TEXT_NONE ? 0 : weigh_others(tree, titled);
    if (!is_share(weight, cw_text_section_at(tree, 0)->weight - others, percent))
        return CW_TEXT_NONE;
    for (uint32_t i = fullest + 1; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        if (is_candidate(section, flag) && is_share(section->weight, weight, 80) && is_in(tree, i, scope))
            scope = i;
    }
    return scope;
}

/* Marks the other pieces of the text. Advertisements often cut a text into parts, which have the same names and lie
 * in the same <article>. */
static void mark_pieces(cw_text_tree *tree, uint32_t scope, uint32_t flag)
{
    uint32_t article = article_around(tree, scope, CW_SECTION_ARTICLE);
    uint32_t weight = cw_text_section_at(tree, scope)->weight;
    for (uint32_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        if (is_candidate(section, flag) && is_share(section->weight, weight, PIECE_SHARE) &&
            article_around(tree, i, CW_SECTION_ARTICLE) == article && !is_in(tree, scope, i))
            section->verdict |= CW_VERDICT_INSIDE;
    }
}

bool cw_text_article_mark(cw_text_tree *tree)
{
    static const struct {
        uint32_t flag;
        unsigned share;
    } names[] = {
        {CW_SECTION_ARTICLE_BODY, BODY_SHARE}, {CW_SECTION_BODY, BODY_SHARE}, {CW_SECTION_ARTICLE, ELEMENT_SHARE}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t scope = find_scope(tree, names[i].flag, names[i].share);
        if (scope == CW_TEXT_NONE)
            continue;
        cw_text_section_at(tree, scope)->verdict |= CW_VERDICT_INSIDE;
        if (names[i].flag != CW_SECTION_ARTICLE)
            mark_pieces(tree, scope, names[i].flag);
        return true;
    }
    return false;
}

/* --- parts that are not text of the article --- */

static bool has_few(const cw_text_section *section, const cw_text_section *whole)
{
    return section->words * 100ull < whole->words * (uint64_t)EXTRA_SHARE;
}

static bool is_extra(const cw_text_section *section, const cw_text_section *whole)
{
    if (!has_few(section, whole))
        return false;
    const uint32_t named = CW_SECTION_SURE | CW_SECTION_LIKELY;
    bool is_named = section->flags & named || !section->weight;
    if (section->flags & CW_SECTION_CAPTION && is_named)
        return true;
    if (section->flags & CW_SECTION_EXTRA && is_named)
        return !is_share(section->weight, whole->weight, EXTRA_WEIGHT) || !section->weight;
    if (section->weight || !section->words)
        return false;
    return (section->flags & CW_SECTION_LIST && is_share(section->link_words, section->words, LINKED_LIST)) ||
           (section->flags & CW_SECTION_PLAIN && is_share(section->link_words, section->words, LINKED_PART));
}

/* Adds up the outermost sections that are inside. */
static cw_text_section sum_inside(const cw_text_tree *tree)
{
    cw_text_section whole = {0};
    for (size_t i = 0; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        bool is_outermost = !i || !(cw_text_section_at(tree, section->parent)->verdict & CW_VERDICT_INSIDE);
        if (section->verdict & CW_VERDICT_INSIDE && is_outermost) {
            whole.words += section->words;
            whole.weight += section->weight;
        }
    }
    return whole;
}

/* Returns the running text in the outermost of these parts that would be left out. */
static uint32_t weigh_extra(const cw_text_tree *tree, const cw_text_section *whole, uint32_t spared)
{
    uint32_t weight = 0;
    uint32_t end = 0; /* of the last such part */
    for (uint32_t i = 1; i < tree->sections.count; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        bool is_inside = cw_text_section_at(tree, section->parent)->verdict & CW_VERDICT_INSIDE;
        if (i < end || !is_inside || section->verdict & CW_VERDICT_OUT || section->flags & spared ||
            !is_extra(section, whole))
            continue;
        weight += section->weight;
        end = cw_text_section_end(tree, i);
    }
    return weight;
}

void cw_text_article_prune(cw_text_tree *tree)
{
    cw_text_section whole = sum_inside(tree);
    bool spares_all = is_share(weigh_extra(tree, &whole, 0), whole.weight, PRUNED_SHARE);
    bool spares_weak = is_share(weigh_extra(tree, &whole, CW_SECTION_SURE), whole.weight, WEAK_SHARE);
    for (size_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        uint32_t above = cw_text_section_at(tree, section->parent)->verdict;
        bool spares = spares_all || (spares_weak && !(section->flags & CW_SECTION_SURE));
        section->verdict |= above & CW_VERDICT_OUT;
        if (above & CW_VERDICT_INSIDE && is_extra(section, &whole) && !(spares && section->weight))
            section->verdict |= CW_VERDICT_OUT;
    }
}

/* --- lines --- */

/* Returns true for a line on its own, outside of lists, tables and headings. */
static bool is_plain_line(const cw_text_tree *tree, const cw_text_block *block)
{
    return block->kind == CW_BLOCK_TEXT && block->table == CW_TEXT_NONE && block->wrapper == CW_TEXT_NONE &&
           cw_text_section_at(tree, block->section)->list == CW_TEXT_NONE;
}

/* Drops the Markdown marks at the end of a line, which are not part of its text. */
static crawl_slice without_marks(crawl_slice text)
{
    text = cw_trim(text);
    if (cw_ends_with(text, ")"))
        for (size_t i = text.size; i > 1; i--)
            if (text.data[i - 2] == ']' && text.data[i - 1] == '(') {
                text.size = i - 2;
                break;
            }
    while (text.size && strchr("*_~` ", text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Returns the last character of a text, which has one. */
static uint32_t last_code(crawl_slice text)
{
    size_t size = 1;
    while (size < text.size && ((unsigned char)text.data[text.size - size] & 0xc0) == 0x80)
        size++;
    const char *end = text.data + text.size;
    return cw_utf8_next(end - size, end).code;
}

/* Returns true if the line ends like a sentence of any script. Guillemets without their opening ones are arrows. */
static bool ends_sentence(crawl_slice text)
{
    text = without_marks(text);
    uint32_t code = text.size ? last_code(text) : ' ';
    if (code < 0x80)
        return strchr(".!?:)\"'", (int)code) != NULL;
    if (code == 0xab || code == 0xbb)
        return cw_find_text(text, "\xc2\xab") < text.size && cw_find_text(text, "\xc2\xbb") < text.size;
    bool is_arrow = code == 0x2039 || code == 0x203a;
    const uint32_t closing = UC_CATEGORY_MASK_Pe | UC_CATEGORY_MASK_Pf | UC_CATEGORY_MASK_Pi;
    return code == 0x2026 || uc_is_property_terminal_punctuation(code) ||
           (!is_arrow && uc_is_general_category_withtable(code, closing));
}

static unsigned count_breaks(const cw_text_tree *tree, size_t at)
{
    unsigned breaks = 0;
    if (at >= tree->blocks.count || !cw_text_block_at(tree, at)->kept)
        return 0;
    const cw_text_block *block = cw_text_block_at(tree, at);
    for (size_t i = 0; i < block->size; i++)
        breaks += tree->text.data[block->start + i] == '\n';
    return breaks;
}

/* Returns true for a part of a poem or an address: lines, of which more are in it or beside it. */
static bool is_stanza(const cw_text_tree *tree, size_t at)
{
    unsigned breaks = count_breaks(tree, at);
    return breaks > 1 || (breaks && ((at && count_breaks(tree, at - 1)) || count_breaks(tree, at + 1)));
}

/* Returns true for a few words that are not a sentence: a date, a name, the label of a button. */
static bool is_scrap(const cw_text_tree *tree, size_t at)
{
    const cw_text_block *block = cw_text_block_at(tree, at);
    return is_plain_line(tree, block) && block->words < SCRAP_WORDS && !is_stanza(tree, at) &&
           !ends_sentence(crawl_slice_of(tree->text.data + block->start, block->size));
}

/* Returns true if the article's text may begin or end with this block. */
static bool is_edge(const cw_text_tree *tree, size_t at)
{
    const cw_text_block *block = cw_text_block_at(tree, at);
    return block->kept && block->kind != CW_BLOCK_HEADING && !block->is_image && !is_scrap(tree, at);
}

/* Returns true for an item of a list that is made of paragraphs: it begins with a number and a full stop. */
static bool is_numbered(const cw_text_tree *tree, const cw_text_block *block)
{
    crawl_slice text = crawl_slice_of(tree->text.data + block->start, block->size);
    size_t digits = cw_count_digits(text);
    text = cw_drop(text, digits);
    cw_take_text(&text, "\\");
    return digits && cw_starts_with(text, ". ");
}

void cw_text_article_trim(cw_text_tree *tree, bool images)
{
    size_t first = 0, end = tree->blocks.count;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        bool is_linked = block->words && is_plain_line(tree, block) && !block->is_image &&
                         is_share(block->link_words, block->words, LINKED_LINE) && !is_numbered(tree, block);
        block->kept = block->kept && !is_linked && (images || !block->is_image);
    }
    while (first < end && !is_edge(tree, first))
        first++;
    while (end > first && !is_edge(tree, end - 1))
        end--;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        bool is_title = block->kind == CW_BLOCK_HEADING && (i < end || block->level == 1);
        block->kept = block->kept && ((i >= first && i < end) || is_title || block->is_image);
    }
}

/* --- between the title and the text --- */

static bool article_is_inside(const cw_text_tree *tree, const cw_text_block *block)
{
    return cw_text_section_at(tree, block->section)->verdict & CW_VERDICT_INSIDE;
}

/* Returns the last title above the first kept text of the article. The number of blocks: none. */
static size_t find_title_above(const cw_text_tree *tree)
{
    size_t title = tree->blocks.count;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        if (block->kept && article_is_inside(tree, block))
            return title;
        if (block->kept && block->kind == CW_BLOCK_HEADING && block->level == 1)
            title = i;
    }
    return tree->blocks.count;
}

/* Returns true if the block lies in a part of the page with the title, and in no part below that whose name says
 * that it is something else. */
static bool is_beside_title(const cw_text_tree *tree, const cw_text_block *block, uint32_t title)
{
    const uint32_t others = CW_SECTION_HIDDEN | CW_SECTION_NAV | CW_SECTION_ASIDE | CW_SECTION_FOOTER |
                            CW_SECTION_HINT | CW_SECTION_LIST | CW_SECTION_COMMENTS | CW_SECTION_EXTRA |
                            CW_SECTION_CAPTION;
    for (uint32_t at = block->section; !is_in(tree, title, at); at = cw_text_section_at(tree, at)->parent)
        if (cw_text_section_at(tree, at)->flags & others)
            return false;
    return true;
}

/* Returns true for sentences in a paragraph or in a second title. A byline may end in a bracket. */
static bool is_standfirst(const cw_text_tree *tree, const cw_text_block *block, uint32_t title)
{
    crawl_slice text = crawl_slice_of(tree->text.data + block->start, block->size);
    bool has_kind = block->kind == CW_BLOCK_TEXT || (block->kind == CW_BLOCK_HEADING && block->level > 1);
    return has_kind && block->table == CW_TEXT_NONE && block->words >= SCRAP_WORDS &&
           block->link_words * 3 <= block->words && ends_sentence(text) && !cw_ends_with(without_marks(text), ")") &&
           is_beside_title(tree, block, title);
}

void cw_text_article_keep_standfirst(cw_text_tree *tree)
{
    enum { MOST = 2 };
    size_t title = find_title_above(tree);
    unsigned found = 0;
    for (size_t i = title + 1; i < tree->blocks.count && found < MOST; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        bool is_one = is_standfirst(tree, block, cw_text_block_at(tree, title)->section);
        if (article_is_inside(tree, block) || block->is_image || (block->kind == CW_BLOCK_HEADING && !is_one))
            return;
        block->kept = block->kept || is_one;
        found += is_one;
    }
}
