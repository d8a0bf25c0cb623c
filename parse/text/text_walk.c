/* See text_walk.h. Handles text within a line, and the events of the walk. text_open.c handles elements that hold
 * blocks. */
#include "parse/text/text_walk.h"

#include "base/bytes.h"
#include "parse/html/html_reference.h"
#include "parse/page/page_values.h"
#include "parse/text/text_formula.h"
#include "parse/text/text_image.h"
#include "parse/text/text_open.h"

#include <crawl/text.h>

/* --- inline elements --- */

static crawl_err text_walk_decode(cw_text_walker *walk, crawl_slice raw, cw_html_place place, crawl_slice *text)
{
    *text = raw;
    if (cw_html_is_literal(raw))
        return CRAWL_OK;
    crawl_buf_clear(&walk->page->scratch);
    crawl_err err = cw_html_decode(&walk->page->scratch, raw, place);
    *text = crawl_buf_slice(&walk->page->scratch);
    return err;
}

/* Resolves the address of a link. *href is empty for a link to the page itself, to nothing, or to something that is
 * not a document. Without a base, a relative address stays relative. */
static crawl_err text_walk_resolve(cw_text_walker *walk, crawl_slice raw, crawl_slice *href)
{
    enum { HREF_MAX = 2048 }; /* longer ones are useless to a reader */
    cw_text_page *page = walk->page;
    crawl_slice text;
    *href = (crawl_slice){0};
    if (raw.size > HREF_MAX)
        return CRAWL_OK;
    crawl_err err = text_walk_decode(walk, raw, CW_IN_ATTRIBUTE, &text);
    text = cw_trim(text);
    if (err || !text.size || text.data[0] == '#' || walk->links == CRAWL_TEXT_MAX_LINKS)
        return err;
    walk->links++;
    if (!walk->source->markdown) {
        *href = text; /* not shown */
        return CRAWL_OK;
    }
    err = crawl_url_parse(page->url, text, walk->has_base ? page->base : NULL, walk->source->charset);
    if (err == CRAWL_ENOMEM)
        return err;
    if (err)
        *href = walk->has_base || cw_find_any(text, "<>\r\n\t ") < text.size ? *href : text;
    else if (crawl_url_is_http(page->url) || cw_starts_with(crawl_url_href(page->url), "mailto:"))
        *href = crawl_url_href(page->url);
    if (href->size > HREF_MAX) /* by its base */
        *href = (crawl_slice){0};
    return CRAWL_OK;
}

static crawl_err text_walk_add_image(cw_text_walker *walk, const cw_text_attributes *attributes)
{
    crawl_slice src, alt;
    crawl_buf kept = {0};
    uint32_t words = walk->page->writer.words;
    crawl_err err = text_walk_resolve(walk, attributes->src, &src);
    if (!err)
        err = crawl_buf_append(&kept, src.data, src.size);
    if (!err)
        err = text_walk_decode(walk, attributes->alt, CW_IN_ATTRIBUTE, &alt);
    if (!err)
        err = cw_text_writer_image(&walk->page->writer, cw_trim(alt), crawl_buf_slice(&kept));
    walk->image_words += walk->page->writer.words - words;
    crawl_buf_free(&kept);
    return err;
}

/* The first <base> with href decides, as for the links of the page; one in a noscript does not count. */
static crawl_err text_walk_set_base(cw_text_walker *walk, const cw_text_attributes *attributes)
{
    cw_text_page *page = walk->page;
    crawl_slice text;
    bool is_base;
    if (walk->base_decided || !attributes->href.data || cw_text_top(walk)->unscripted)
        return CRAWL_OK;
    walk->base_decided = true;
    crawl_err err = text_walk_decode(walk, attributes->href, CW_IN_ATTRIBUTE, &text);
    if (!err)
        err = cw_page_base_of(text, walk->has_base ? page->base : NULL, walk->source->charset, page->url, &is_base);
    if (err || !is_base)
        return err;
    walk->has_base = true;
    return crawl_url_copy(page->base, page->url);
}

static crawl_err text_walk_add_rule(cw_text_walker *walk)
{
    crawl_err err = cw_text_end_block(walk);
    if (!err)
        err = cw_text_end_implied(walk, CW_ROLE_BLOCK);
    return err ? err : cw_text_add_block(walk, CW_BLOCK_RULE, walk->page->tree.text.size, 0);
}

static cw_text_mark_kind mark_of(cw_text_role role)
{
    switch (role) {
    case CW_ROLE_LINK:
        return CW_MARK_LINK;
    case CW_ROLE_STRONG:
        return CW_MARK_STRONG;
    case CW_ROLE_EMPHASIS:
        return CW_MARK_EMPHASIS;
    case CW_ROLE_CODE:
        return CW_MARK_CODE;
    default:
        return CW_MARK_DELETED;
    }
}

/* Returns true if a link leads to a page. An address of mail or telephone is text: a list of these is not
 * navigation. */
static bool leads_to_page(crawl_slice href)
{
    static const char *const schemes[] = {"mailto:", "tel:", "sms:", "fax:", "callto:"};
    href = cw_trim(href);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (cw_starts_nocase(href, schemes[i]))
            return false;
    return true;
}

static crawl_err open_link(cw_text_walker *walk, const cw_text_attributes *attributes)
{
    crawl_slice href;
    crawl_err err = cw_text_writer_close(&walk->page->writer, CW_MARK_LINK);
    if (err || !attributes->href.data)
        return err;
    err = text_walk_resolve(walk, attributes->href, &href);
    return err ? err : cw_text_writer_open(&walk->page->writer, CW_MARK_LINK, href, leads_to_page(attributes->href));
}

/* Takes the language of code from a <code>, which often has it instead of the <pre> around it. */
static void take_language(cw_text_walker *walk, const cw_text_attributes *attributes)
{
    crawl_slice language = cw_text_hint_language(attributes->class);
    if (cw_text_top(walk)->is_pre && language.size)
        cw_text_top(walk)->language = language;
}

/* Ends a line. Two in a row, without text between them, end a paragraph. */
static crawl_err text_walk_break(cw_text_walker *walk)
{
    bool ends_block = walk->page->writer.line && !cw_text_top(walk)->level;
    crawl_err err = ends_block ? cw_text_end_block(walk) : CRAWL_OK;
    return err ? err : cw_text_writer_break(&walk->page->writer);
}

static crawl_err open_inline(cw_text_walker *walk, const cw_text_element *element, const cw_text_attributes *attributes)
{
    cw_text_writer *writer = &walk->page->writer;
    switch (element->role) {
    case CW_ROLE_BREAK:
        return text_walk_break(walk);
    case CW_ROLE_RULE:
        return text_walk_add_rule(walk);
    case CW_ROLE_IMAGE:
        return text_walk_add_image(walk, attributes);
    case CW_ROLE_QUOTED:
        return cw_text_writer_add(writer, crawl_slice_from("\xe2\x80\x9c"));
    case CW_ROLE_READING:
        cw_text_writer_begin_reading(writer);
        return CRAWL_OK;
    case CW_ROLE_RUBY:
        return CRAWL_OK;
    case CW_ROLE_RAISED:
    case CW_ROLE_LOWERED:
        cw_text_writer_shift(writer, element->role == CW_ROLE_RAISED ? CW_SHIFT_RAISED : CW_SHIFT_LOWERED);
        return CRAWL_OK;
    case CW_ROLE_LINK:
        return open_link(walk, attributes);
    case CW_ROLE_CODE:
        take_language(walk, attributes);
        return cw_text_writer_open(writer, CW_MARK_CODE, (crawl_slice){0}, false);
    default:
        return cw_text_writer_open(writer, mark_of((cw_text_role)element->role), (crawl_slice){0}, false);
    }
}

/* --- the walk --- */

/* Returns true for a button whose text is a title, such as a question of an accordion. One after other text acts on
 * that text. */
static bool is_title_button(cw_text_walker *walk, const cw_html_tag *tag)
{
    return cw_is_nocase(tag->name, "button") && cw_text_top(walk)->in_title &&
           cw_text_writer_is_empty(&walk->page->writer);
}

/* Returns true for an inline element that is not content: the number of a line of code, or MediaWiki's links to edit a
 * part. */
static bool is_beside_content(cw_text_walker *walk, const cw_text_attributes *attributes)
{
    bool is_number = cw_text_top(walk)->is_pre && cw_text_hint_numbers_line(attributes);
    return !walk->source->all &&
           (is_number || cw_has_word(attributes->class, crawl_slice_from("mw-editsection"), false));
}

/* Returns true for an inline element whose text is left out. Pages that hide their whole <body> show it by a script. */
static bool hides_itself(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_attributes *attributes)
{
    bool is_hidden = cw_text_hint_is_hidden(attributes) || is_beside_content(walk, attributes);
    return is_hidden && !cw_html_is_void(tag->name) && !cw_is_nocase(tag->name, "body") &&
           !cw_is_nocase(tag->name, "html");
}

/* Opens a <math>. Its alternative text, TeX as a rule, takes the place of its elements. */
static crawl_err open_formula(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_attributes *attributes)
{
    crawl_slice text;
    cw_text_formula_begin(&walk->page->writer);
    if (!cw_trim(attributes->alttext).size || walk->depth + 1 == CW_TEXT_MAX_OPEN)
        return CRAWL_OK;
    crawl_err err = text_walk_decode(walk, attributes->alttext, CW_IN_ATTRIBUTE, &text);
    if (!err)
        err = cw_text_writer_add(&walk->page->writer, cw_trim(text));
    return err ? err : cw_text_push(walk, tag, NULL, attributes, true);
}

/* Returns true for the TeX of a formula, which takes the place of its elements. */
static bool is_tex(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_attributes *attributes)
{
    return cw_is_nocase(tag->name, "annotation") && cw_is_nocase(attributes->encoding, "application/x-tex") &&
           cw_text_formula_drop(&walk->page->writer);
}

static crawl_err text_walk_open_tag(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                                    const cw_text_attributes *attributes)
{
    if (cw_text_is_block(element))
        return cw_text_open_block(walk, tag, element, attributes);
    bool is_seen = !cw_text_top(walk)->hidden && !cw_text_hint_is_hidden(attributes);
    if (is_seen && cw_is_nocase(tag->name, "math"))
        return open_formula(walk, tag, attributes);
    if (is_seen && (is_title_button(walk, tag) || is_tex(walk, tag, attributes)))
        return CRAWL_OK;
    if (is_seen && walk->page->writer.formula.is_open) {
        bool is_barless = cw_starts_with(attributes->linethickness, "0");
        crawl_err err = cw_text_formula_take_start(&walk->page->writer, tag->name, is_barless);
        if (err)
            return err;
    }
    bool is_dropped = element && (element->role == CW_ROLE_DROPPED || element->role == CW_ROLE_UNSCRIPTED);
    if (is_dropped)
        cw_text_section_at(&walk->page->tree, cw_text_top(walk)->section)->flags |= CW_SECTION_CONTROLS;
    if (cw_text_top(walk)->hidden && cw_text_is_left_out(cw_text_top(walk)) &&
        cw_equal_nocase(cw_text_top(walk)->name, tag->name)) {
        cw_text_top(walk)->number++;
        return CRAWL_OK;
    }
    if (attributes->shadow.data && is_dropped) /* shows the content of such a template and skips its tags */
        return CRAWL_OK;
    if (is_dropped || hides_itself(walk, tag, attributes))
        return walk->depth + 1 < CW_TEXT_MAX_OPEN ? cw_text_push(walk, tag, element, attributes, true) : CRAWL_OK;
    if (cw_text_top(walk)->hidden)
        return CRAWL_OK;
    return element ? open_inline(walk, element, attributes) : CRAWL_OK;
}

/* Writes the closing quotation mark directly after the text. */
static crawl_err close_quotation(cw_text_writer *writer)
{
    bool space = writer->space;
    writer->space = false;
    crawl_err err = cw_text_writer_add(writer, crawl_slice_from("\xe2\x80\x9d"));
    writer->space = space;
    return err;
}

/* Ends an inline element that is not a mark. */
static crawl_err close_in_line(cw_text_writer *writer, cw_text_role role)
{
    if (role == CW_ROLE_QUOTED)
        return close_quotation(writer);
    if (role == CW_ROLE_READING || role == CW_ROLE_RUBY)
        cw_text_writer_end_reading(writer);
    else
        cw_text_writer_shift(writer, CW_SHIFT_NONE);
    return CRAWL_OK;
}

static crawl_err text_walk_close_tag(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element)
{
    bool is_open = cw_text_top(walk)->hidden || cw_text_is_block(element);
    if (walk->beyond && cw_text_is_block(element)) {
        walk->beyond--;
        return cw_text_end_block(walk);
    }
    if (is_open)
        return cw_text_close_open(walk, tag->name, element);
    if (walk->page->writer.formula.is_open) {
        crawl_err err = cw_text_formula_take_end(&walk->page->writer, tag->name);
        if (err)
            return err;
    }
    if (!element && cw_is_nocase(tag->name, "math"))
        cw_text_formula_end(&walk->page->writer);
    if (element && element->role == CW_ROLE_BREAK && !walk->source->xml)
        return text_walk_break(walk); /* </br> (HTML standard, 13.2.6.4.7) */
    if (!element || element->role < CW_ROLE_QUOTED)
        return CRAWL_OK;
    if (element->role < CW_ROLE_LINK)
        return close_in_line(&walk->page->writer, (cw_text_role)element->role);
    return cw_text_writer_close(&walk->page->writer, mark_of((cw_text_role)element->role));
}

static const cw_text_attributes *attributes_of(const cw_html_token *token, const cw_text_element *element,
                                               cw_text_attributes *storage)
{
    static const cw_text_attributes none = {0};
    crawl_slice name, value;
    if (!token->attributes->count)
        return &none;
    *storage = none;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes); cw_html_next_of(&rest, &name, &value);)
        cw_text_attributes_take(storage, name, value);
    if (element && element->role == CW_ROLE_IMAGE)
        storage->src = cw_text_image_url(token->attributes);
    return storage;
}

/* Returns true if the tag closes its own element. In HTML "/" counts only for elements of SVG and MathML (13.2.6.5). */
static bool text_walk_is_closed(const cw_text_walker *walk, const cw_html_token *token, const cw_text_element *element)
{
    crawl_slice name = token->tag.name;
    bool counts =
        walk->source->xml || cw_is_nocase(name, "svg") || cw_is_nocase(name, "math") || (walk->is_foreign && !element);
    return token->self_closing && counts && !cw_html_is_void(name);
}

static const cw_text_element *element_of_tag(const cw_text_walker *walk, const cw_html_tag *tag)
{
    const cw_text_element *element = cw_text_element_named(tag->name);
    bool is_shown = element && element->role == CW_ROLE_UNSCRIPTED && walk->source->unscripted;
    return is_shown ? cw_text_element_named(crawl_slice_from("div")) : element;
}

static void note_kind(cw_text_walker *walk, crawl_slice name, const cw_text_attributes *attributes)
{
    if (attributes->itemtype.data)
        cw_text_kind_take_type(&walk->page->signs, attributes->itemtype);
    if (cw_is_nocase(name, "meta"))
        cw_text_kind_take_meta(&walk->page->signs, attributes);
    if (cw_is_nocase(name, "script"))
        walk->script_type = attributes->type;
}

static bool is_heard(cw_text_walker *walk)
{
    return !cw_text_top(walk)->hidden && walk->page->tree.text.size < walk->source->most;
}

/* Writes the TeX in a script of MathJax 2, from which kramdown hides "<" and "&" by a CDATA section. */
static crawl_err add_formula(cw_text_walker *walk, crawl_slice text)
{
    cw_text_writer *writer = &walk->page->writer;
    bool is_display = cw_has_nocase(walk->script_type, crawl_slice_from("mode=display"));
    text = cw_trim(text);
    if (cw_take_text(&text, "% <![CDATA[") && cw_ends_with(text, "%]]>"))
        text.size -= strlen("%]]>");
    crawl_err err = is_display ? cw_text_writer_break(writer) : CRAWL_OK;
    if (!err)
        err = cw_text_writer_add(writer, cw_trim(text));
    return err || !is_display ? err : cw_text_writer_break(writer);
}

static crawl_err text_walk_take_script(void *user, crawl_slice text)
{
    cw_text_walker *walk = user;
    if (cw_is_nocase(walk->script_type, "application/ld+json"))
        cw_text_kind_take_json(&walk->page->signs, text);
    bool is_formula = cw_starts_nocase(walk->script_type, "math/tex") && is_heard(walk);
    return is_formula ? add_formula(walk, text) : CRAWL_OK;
}

/* Returns the attributes of a dialog that is left out. It counts as a button, which cookie notices have. */
static const cw_text_attributes *close_dialog(cw_text_walker *walk)
{
    static const cw_text_attributes closed = {.hidden = true};
    cw_text_section_at(&walk->page->tree, cw_text_top(walk)->section)->flags |= CW_SECTION_CONTROLS;
    return &closed;
}

static crawl_err text_walk_take_tag(void *user, const cw_html_token *token)
{
    cw_text_walker *walk = user;
    const cw_html_tag *tag = &token->tag;
    const cw_text_element *element = element_of_tag(walk, tag);
    walk->is_foreign = !token->html;
    if (tag->closing)
        return text_walk_close_tag(walk, tag, element);
    cw_text_attributes storage;
    const cw_text_attributes *attributes = attributes_of(token, element, &storage);
    if (cw_is_nocase(tag->name, "dialog") && !(walk->source->all && attributes->open.data))
        attributes = close_dialog(walk);
    if (!element)
        note_kind(walk, tag->name, attributes);
    else if (attributes->itemtype.data)
        cw_text_kind_take_type(&walk->page->signs, attributes->itemtype);
    if (element && element->role == CW_ROLE_BASE)
        return token->in_template || !token->html ? CRAWL_OK : text_walk_set_base(walk, attributes);
    crawl_err err = text_walk_open_tag(walk, tag, element, attributes);
    return err || !text_walk_is_closed(walk, token, element) ? err : text_walk_close_tag(walk, tag, element);
}

static void note_unscripted(cw_text_page *page, crawl_slice raw)
{
    page->asks_for_scripts = page->asks_for_scripts || cw_find_text(raw, "avaScript") < raw.size;
    while (cw_take_word(&raw, false).size)
        page->unscripted_words++;
}

static crawl_err text_walk_take_text(void *user, crawl_slice raw)
{
    cw_text_walker *walk = user;
    crawl_slice text;
    if (cw_text_top(walk)->unscripted && cw_text_top(walk)->hidden)
        note_unscripted(walk->page, raw);
    if (!raw.size || !is_heard(walk))
        return CRAWL_OK;
    crawl_err err = text_walk_decode(walk, raw, CW_IN_TEXT, &text);
    return err ? err : cw_text_writer_add(&walk->page->writer, text);
}

static crawl_err take_cdata(void *user, crawl_slice text)
{
    cw_text_walker *walk = user;
    return is_heard(walk) ? cw_text_writer_add(&walk->page->writer, text) : CRAWL_OK;
}

static crawl_err text_walk_open_page(cw_text_walker *walk)
{
    uint32_t index;
    crawl_err err = cw_text_tree_add_section(&walk->page->tree, &index);
    if (!err)
        *cw_text_section_at(&walk->page->tree, index) =
            (cw_text_section){.parent = CW_TEXT_NONE, .flags = CW_SECTION_PLAIN};
    walk->open[0] = (cw_text_open){.section = index, .wrapper = CW_TEXT_NONE, .table = CW_TEXT_NONE};
    cw_text_writer_reset(&walk->page->writer, &walk->page->tree.text, walk->source->markdown, walk->source->most);
    cw_text_begin_block(walk);
    return err;
}

crawl_err cw_text_walk(cw_text_page *page, const cw_text_source *source, cw_text_pass pass, void *user)
{
    cw_text_walker walk = {.page = page, .source = source, .has_base = source->has_base};
    const cw_html_every every = {.user = &walk,
                                 .tag = text_walk_take_tag,
                                 .text = text_walk_take_text,
                                 .cdata = take_cdata,
                                 .script = text_walk_take_script};
    crawl_err err = text_walk_open_page(&walk);
    if (!err)
        err = pass(user, &every);
    return err ? err : cw_text_end_page(&walk);
}
