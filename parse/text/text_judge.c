/* See text_judge.h. Leaves out parts that declare themselves not to be content. Then finds the part of the page with
 * the content, and leaves out lists and lines of links at its edges or without text around them. At the end leaves
 * out headings with nothing left below them, and columns of line numbers. */
#include "parse/text/text_judge.h"

#include "base/bytes.h"
#include "parse/text/text_article.h"
#include "parse/text/text_count.h"
#include "parse/text/text_thread.h"

/* Running text: blocks of at least this many words, of which not too many are in links. The measures follow
 * Kohlschuetter, Fankhauser, Nejdl 2010, "Boilerplate Detection using Shallow Text Features", whose classifiers find
 * the borders at 15 to 17 words, and at a third of the words in links. */
enum { TEXT_WORDS = 15, SOME_WORDS = 10, NOTICE_WORDS = 120, EDGE_WORDS = 60 };

static bool is_linked(uint32_t words, uint32_t link_words, uint32_t third)
{
    return link_words * 3 > words * third;
}

static bool is_running_text(const cw_text_block *block)
{
    if (block->kind == CW_BLOCK_PRE)
        return block->words > 0;
    return block->kind != CW_BLOCK_HEADING && block->words >= SOME_WORDS &&
           !is_linked(block->words, block->link_words, 1);
}

/* --- sums --- */

static cw_text_section *text_judge_section_of(const cw_text_tree *tree, const cw_text_block *block)
{
    return cw_text_section_at(tree, block->section);
}

static void sum_words(cw_text_tree *tree)
{
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        text_judge_section_of(tree, block)->words += block->words;
        text_judge_section_of(tree, block)->link_words += block->link_words;
    }
    for (size_t i = tree->sections.count; i > 1; i--) {
        const cw_text_section *section = cw_text_section_at(tree, i - 1);
        cw_text_section *parent = cw_text_section_at(tree, section->parent);
        parent->words += section->words;
        parent->link_words += section->link_words;
        if (section->flags & CW_SECTION_CONTROLS && section->words < NOTICE_WORDS)
            parent->flags |= CW_SECTION_CONTROLS;
        if (section->flags & CW_SECTION_COOKIES && section->words < NOTICE_WORDS)
            parent->flags |= CW_SECTION_COOKIES;
    }
}

/* Adds up the words of running text that is not left out, for the search for the content. */
static void sum_weights(cw_text_tree *tree)
{
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        if (is_running_text(block) && !(text_judge_section_of(tree, block)->verdict & CW_VERDICT_OUT))
            text_judge_section_of(tree, block)->weight += block->words;
    }
    for (size_t i = tree->sections.count; i > 1; i--)
        cw_text_section_at(tree, cw_text_section_at(tree, i - 1)->parent)->weight +=
            cw_text_section_at(tree, i - 1)->weight;
}

/* --- parts that declare themselves not to be content --- */

static bool is_notice(const cw_text_section *section)
{
    const uint32_t both = CW_SECTION_CONTROLS | CW_SECTION_COOKIES;
    return (section->flags & both) == both && section->words < NOTICE_WORDS;
}

/* Returns true if the names of a part exclude it. They never exclude most of the page's words: a page may be one
 * list of links. */
static bool is_out(const cw_text_section *section, uint32_t above, uint32_t words)
{
    bool is_most = section->words * 2ull > words;
    bool in_content = above & CW_VERDICT_IN_MAIN;
    if (is_notice(section) && !is_most)
        return true;
    if (section->flags & CW_SECTION_ASIDE)
        return !is_most && (!in_content || is_linked(section->words, section->link_words, 1));
    if (section->flags & CW_SECTION_HEADER)
        return !is_most && !in_content;
    return (section->flags & (CW_SECTION_NAV | CW_SECTION_FOOTER | CW_SECTION_HINT)) && !is_most;
}

static void judge_sections(cw_text_tree *tree)
{
    uint32_t words = cw_text_section_at(tree, 0)->words;
    cw_text_section_at(tree, 0)->list = CW_TEXT_NONE;
    for (size_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        uint32_t above = cw_text_section_at(tree, section->parent)->verdict;
        section->verdict = above;
        section->list = cw_text_section_at(tree, section->parent)->list;
        if (section->list == CW_TEXT_NONE && section->flags & CW_SECTION_LIST)
            section->list = (uint32_t)i;
        if (section->flags & (CW_SECTION_MAIN | CW_SECTION_ARTICLE))
            section->verdict |= CW_VERDICT_IN_MAIN;
        if (is_out(section, above, words))
            section->verdict |= CW_VERDICT_OUT;
    }
}

/* --- where the content is --- */

/* Marks all sections inside marked ones. */
static void mark_inside(cw_text_tree *tree)
{
    for (size_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        section->verdict |= cw_text_section_at(tree, section->parent)->verdict & CW_VERDICT_INSIDE;
    }
}

/* Marks the parts that the page calls its main one, if they have a quarter of its running text. */
static bool mark_main(cw_text_tree *tree)
{
    uint32_t weight = 0;
    for (size_t i = 1; i < tree->sections.count; i++) {
        cw_text_section *section = cw_text_section_at(tree, i);
        if (section->flags & CW_SECTION_MAIN && !(section->verdict & CW_VERDICT_OUT)) {
            section->verdict |= CW_VERDICT_INSIDE;
            weight += section->weight ? section->weight : section->words;
        }
    }
    if (weight && weight * 4ull >= cw_text_section_at(tree, 0)->weight)
        return true;
    for (size_t i = 0; i < tree->sections.count; i++)
        cw_text_section_at(tree, i)->verdict &= ~(uint32_t)CW_VERDICT_INSIDE;
    return false;
}

/* Returns the child of a section that is or contains a deeper one in it. */
static uint32_t child_towards(const cw_text_tree *tree, uint32_t section, uint32_t deeper)
{
    while (cw_text_section_at(tree, deeper)->parent != section)
        deeper = cw_text_section_at(tree, deeper)->parent;
    return deeper;
}

static bool is_title(const cw_text_block *block)
{
    return block->kind == CW_BLOCK_HEADING && block->level == 1;
}

/* Returns the deepest level of headings that begin parts of the text. Deeper ones are in boxes at the edge. */
static uint8_t part_level(const cw_text_tree *tree)
{
    enum { PART_LEVEL = 2, LEVEL_WITHOUT_THESE = 3 };
    for (size_t i = 0; i < tree->blocks.count; i++)
        if (cw_text_block_at(tree, i)->kind == CW_BLOCK_HEADING && cw_text_block_at(tree, i)->level == PART_LEVEL)
            return PART_LEVEL;
    return LEVEL_WITHOUT_THESE;
}

/* Returns true if a part of the text may begin with this heading, in another child than the text's. Before the text,
 * boxes of the page's frame have headings too, so there the heading must follow the title and must not be made of
 * links. */
static bool may_begin_part(const cw_text_block *heading, uint32_t other, uint32_t child, uint32_t titled)
{
    return other > child || (other > titled && !is_linked(heading->words, heading->link_words, 1));
}

/* Returns true if other children of the section belong to the same text: they have a heading, and are not made of
 * links, such as the ingredients of a recipe beside its story. A heading is looked at for one section only: those in
 * the child come in its turn, and those outside the section have come. */
static bool has_parts_beside(const cw_text_tree *tree, uint32_t section, uint32_t child)
{
    uint8_t level = part_level(tree);
    uint32_t titled = CW_TEXT_NONE; /* the child with the title */
    uint32_t end = cw_text_section_end(tree, section), child_end = cw_text_section_end(tree, child);
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        bool is_beside = (block->section > section && block->section < child) ||
                         (block->section >= child_end && block->section < end);
        if (!is_beside || block->kind != CW_BLOCK_HEADING || block->level > level)
            continue;
        uint32_t other = child_towards(tree, section, block->section);
        if (titled == CW_TEXT_NONE && is_title(block) && !is_linked(block->words, block->link_words, 1))
            titled = other;
        if (!may_begin_part(block, other, child, titled))
            continue;
        const cw_text_section *beside = cw_text_section_at(tree, other);
        bool is_part =
            beside->flags & CW_SECTION_PLAIN && !(beside->verdict & CW_VERDICT_OUT) && beside->words > block->words;
        if (is_part && !is_linked(beside->words, beside->link_words, 1))
            return true;
    }
    return false;
}

/* Descends from the page to the child with four fifths of the running text, as long as there is one without other
 * parts or posts of the same text beside it. Marks the last one. */
static void mark_heaviest(cw_text_tree *tree)
{
    size_t at = 0;
    uint64_t whole = cw_text_section_at(tree, 0)->weight;
    for (size_t i = 1; i < tree->sections.count && whole; i++) {
        const cw_text_section *section = cw_text_section_at(tree, i);
        if (section->parent == at && section->flags & CW_SECTION_PLAIN && section->weight * 5ull >= whole * 4 &&
            !has_parts_beside(tree, (uint32_t)at, (uint32_t)i) &&
            !cw_text_parts_thread(tree, (uint32_t)at, (uint32_t)i))
            at = i;
    }
    cw_text_section_at(tree, at)->verdict |= CW_VERDICT_INSIDE;
}

/* Returns true for titles above the content and for long text beside it. */
static bool is_kept_outside(const cw_text_block *block, uint32_t verdict, bool has_main)
{
    if (block->kind == CW_BLOCK_HEADING && block->level <= (has_main || verdict & CW_VERDICT_OUT ? 1 : 2))
        return !is_linked(block->words, block->link_words, 1);
    return !has_main && !(verdict & CW_VERDICT_OUT) && is_running_text(block) && block->words >= TEXT_WORDS;
}

static void keep_inside(cw_text_tree *tree, bool has_main)
{
    bool has_title = false;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        uint32_t verdict = text_judge_section_of(tree, block)->verdict;
        block->kept = (verdict & CW_VERDICT_INSIDE) && !(verdict & CW_VERDICT_OUT);
        has_title = has_title || (block->kept && is_title(block));
    }
    for (size_t i = 0; i < tree->blocks.count; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        bool is_second = has_title && is_title(block);
        block->kept = block->kept ||
                      (!is_second && is_kept_outside(block, text_judge_section_of(tree, block)->verdict, has_main));
    }
}

/* --- links without text around them --- */

/* Returns the index of the outermost list around a block, or one for the table whose cell it is. CW_TEXT_NONE: the
 * block stands alone. */
static uint32_t unit_of(const cw_text_tree *tree, const cw_text_block *block)
{
    uint32_t list = text_judge_section_of(tree, block)->list;
    bool in_table =
        list == CW_TEXT_NONE && block->table != CW_TEXT_NONE && !cw_text_table_at(tree, block->table)->is_layout;
    return in_table ? CW_TEXT_MAX_SECTIONS + block->table : list;
}

/* Blocks that are judged together: those of a list or a table, or a single block. */
typedef struct text_unit {
    size_t first;
    size_t end;
    uint32_t words;
    uint32_t link_words;
    bool has_heading;
    bool is_text; /* has running text */
} text_unit;

static text_unit next_unit(const cw_text_tree *tree, size_t first)
{
    uint32_t list = unit_of(tree, cw_text_block_at(tree, first));
    text_unit unit = {.first = first, .end = first};
    do {
        const cw_text_block *block = cw_text_block_at(tree, unit.end++);
        unit.words += block->kept ? block->words : 0;
        unit.link_words += block->kept ? block->link_words : 0;
        unit.has_heading = unit.has_heading || block->kind == CW_BLOCK_HEADING;
        unit.is_text = unit.is_text || (block->kept && is_running_text(block));
    } while (list != CW_TEXT_NONE && unit.end < tree->blocks.count &&
             unit_of(tree, cw_text_block_at(tree, unit.end)) == list);
    return unit;
}

/* Returns true if two thirds of the words are in links, and there is no heading and no running text. */
static bool is_links(const text_unit *unit)
{
    return unit->words && !unit->has_heading && !unit->is_text && is_linked(unit->words, unit->link_words, 2);
}

/* Returns true for the line at the end of a page that names its owner. */
static bool is_imprint(const cw_text_tree *tree, const text_unit *unit)
{
    static const char *const starts[] = {"\xc2\xa9", "Copyright", "All rights reserved"};
    enum { IMPRINT_WORDS = 30 };
    const cw_text_block *block = cw_text_block_at(tree, unit->first);
    crawl_slice text = crawl_slice_of(tree->text.data + block->start, block->size);
    for (size_t i = 0; i < sizeof starts / sizeof *starts && unit->words <= IMPRINT_WORDS; i++)
        if (cw_starts_nocase(text, starts[i]))
            return true;
    return false;
}

static void text_judge_leave_out(cw_text_tree *tree, const text_unit *unit)
{
    for (size_t i = unit->first; i < unit->end; i++)
        cw_text_block_at(tree, i)->kept = false;
}

/* Leaves out short lists and lines of links from the first block on, up to the first other text. */
static void trim_start(cw_text_tree *tree)
{
    uint32_t words = 0;
    for (size_t i = 0; i < tree->blocks.count;) {
        text_unit unit = next_unit(tree, i);
        words += unit.words;
        if (unit.words && (!is_links(&unit) || words > EDGE_WORDS))
            return;
        text_judge_leave_out(tree, &unit);
        i = unit.end;
    }
}

/* The same from the last block backwards; leaves out imprints too. */
static void trim_end(cw_text_tree *tree)
{
    uint32_t words = 0;
    for (size_t i = tree->blocks.count; i > 0; i--) {
        size_t first = i - 1;
        uint32_t list = unit_of(tree, cw_text_block_at(tree, first));
        while (list != CW_TEXT_NONE && first && unit_of(tree, cw_text_block_at(tree, first - 1)) == list)
            first--;
        text_unit unit = next_unit(tree, first);
        words += unit.words;
        if (unit.words && ((!is_links(&unit) && !is_imprint(tree, &unit)) || words > EDGE_WORDS))
            return;
        text_judge_leave_out(tree, &unit);
        i = first + 1;
    }
}

static uint32_t words_kept(const cw_text_tree *tree, bool with_headings)
{
    uint32_t words = 0;
    for (size_t i = 0; i < tree->blocks.count; i++) {
        const cw_text_block *block = cw_text_block_at(tree, i);
        words += block->kept && (with_headings || block->kind != CW_BLOCK_HEADING) ? block->words : 0;
    }
    return words;
}

/* Returns true if most of what is kept is links. They are then the content: an index, a table of contents. */
static bool is_made_of_links(const cw_text_tree *tree)
{
    uint32_t words = 0, links = 0;
    for (size_t i = 0; i < tree->blocks.count;) {
        text_unit unit = next_unit(tree, i);
        words += unit.has_heading ? 0 : unit.words;
        links += is_links(&unit) ? unit.words : 0;
        i = unit.end;
    }
    return links * 2 > words;
}

/* Leaves out units of links with no text beside them, on a page that does not say where its content is. */
static void leave_out_links(cw_text_tree *tree)
{
    bool after_text = false;
    for (size_t i = 0; i < tree->blocks.count;) {
        text_unit unit = next_unit(tree, i);
        bool before_text = unit.end < tree->blocks.count && is_running_text(cw_text_block_at(tree, unit.end));
        if (is_links(&unit) && !after_text && !before_text)
            text_judge_leave_out(tree, &unit);
        else if (unit.words)
            after_text = unit.is_text || (unit.has_heading && after_text);
        i = unit.end;
    }
}

/* --- headings --- */

/* Leaves out headings of parts of which something was left out and nothing is kept. */
static void leave_out_headings(cw_text_tree *tree)
{
    unsigned next = 0; /* level of the next heading that stays */
    bool anything = false, left_out = false;
    for (size_t i = tree->blocks.count; i > 0; i--) {
        cw_text_block *block = cw_text_block_at(tree, i - 1);
        if (block->kind != CW_BLOCK_HEADING) {
            anything = anything || (block->kept && block->size);
            left_out = left_out || (!block->kept && block->size);
            continue;
        }
        block->kept = block->kept && (anything || !left_out || block->level == 1 || next > block->level);
        if (block->kept)
            next = block->level;
        anything = left_out = false;
    }
}

/* Keeps the part with the content, and titles and long text beside it. */
static void keep_content(cw_text_tree *tree, bool is_article, bool images)
{
    bool has_main = (is_article && cw_text_article_mark(tree)) || mark_main(tree);
    if (!has_main)
        mark_heaviest(tree);
    mark_inside(tree);
    if (is_article)
        cw_text_article_prune(tree);
    keep_inside(tree, has_main || is_article);
    if (is_article)
        cw_text_article_keep_standfirst(tree);
    bool made_of_links = is_made_of_links(tree);
    if (!has_main && !is_article && !made_of_links)
        leave_out_links(tree);
    if (!made_of_links)
        trim_start(tree);
    if (!made_of_links)
        trim_end(tree);
    if (is_article)
        cw_text_article_trim(tree, images);
}

void cw_text_keep_all(cw_text_tree *tree)
{
    for (size_t i = 0; i < tree->blocks.count; i++)
        cw_text_block_at(tree, i)->kept = true;
}

void cw_text_judge(cw_text_tree *tree, cw_text_kind kind, bool images)
{
    cw_text_keep_all(tree);
    if (!tree->blocks.count)
        return;
    sum_words(tree);
    judge_sections(tree);
    sum_weights(tree);
    bool is_article = cw_text_article_is_one(tree, kind);
    if (is_article) {
        cw_text_article_drop_comments(tree);
        sum_weights(tree);
    }
    keep_content(tree, is_article, images);
    if (is_article && !words_kept(tree, false)) { /* such as a poem */
        cw_text_keep_all(tree);
        for (size_t i = 0; i < tree->sections.count; i++)
            cw_text_section_at(tree, i)->verdict &= ~(uint32_t)CW_VERDICT_INSIDE;
        keep_content(tree, false, images);
    }
    leave_out_headings(tree);
    cw_text_leave_out_counts(tree);
    if (!words_kept(tree, true))
        for (size_t i = 0; i < tree->blocks.count; i++)
            cw_text_block_at(tree, i)->kept =
                !(text_judge_section_of(tree, cw_text_block_at(tree, i))->verdict & CW_VERDICT_OUT);
}
