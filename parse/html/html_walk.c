#include "parse/html/html_walk.h"

#include "base/utf8.h"

/* --- the context of a tag that decides how it is read: SVG and MathML (HTML standard, 13.2.6.5), <template>,
 * <noscript>. No tree is built: the elements that matter are tracked by name, which agrees with the tree wherever these
 * elements are closed. --- */

/* Nested elements of SVG, MathML and their integration points that are tracked; deeper ones are taken for their parent.
 * Pages have two or three. */
#define MAX_FOREIGN 64u

/* The kind of the elements inside another element. */
typedef enum namespace { CW_NS_HTML, CW_NS_SVG, CW_NS_MATHML } namespace;

typedef struct foreign_element {
    const cw_html_element *element;
    namespace inside; /* namespace of its content: CW_NS_HTML for an integration point */
} foreign_element;

/* `{0}` is the start of a page. */
typedef struct page_context {
    foreign_element foreign[MAX_FOREIGN]; /* open ones, outermost first */
    unsigned foreign_depth;
    unsigned templates; /* open */
    bool noscript;      /* inside */
} page_context;

/* Returns the namespace of an element that begins here. */
static namespace namespace_here(const page_context *context)
{
    return context->foreign_depth ? context->foreign[context->foreign_depth - 1].inside : CW_NS_HTML;
}

/* Returns true if the text here belongs to SVG or MathML, so that a CDATA section may occur. */
static bool is_in_foreign(const page_context *context)
{
    return context->foreign_depth && namespace_here(context) != CW_NS_HTML;
}

/* Returns true if nothing is open that an end tag could close. */
static bool html_walk_is_plain(const page_context *context)
{
    return !context->foreign_depth && !context->templates && !context->noscript;
}

static void html_walk_push(page_context *context, const cw_html_element *element, namespace inside)
{
    if (context->foreign_depth < MAX_FOREIGN)
        context->foreign[context->foreign_depth++] = (foreign_element){element, inside};
}

/* Leaves SVG and MathML, up to the integration point or the HTML around them. */
static void leave_foreign(page_context *context)
{
    while (namespace_here(context) != CW_NS_HTML)
        context->foreign_depth--;
}

static bool html_walk_leaves(const cw_html_element *element, const cw_html_values *values)
{
    bool styled = values->found & (CW_AT_COLOR | CW_AT_FACE | CW_AT_SIZE);
    return (element->flags & CW_EL_LEAVES_FOREIGN) || (element->id == CW_ID_FONT && styled);
}

/* Returns true if the content of this MathML element is HTML. */
static bool is_math_point(const cw_html_element *element, const cw_html_values *values)
{
    if (element->id != CW_ID_ANNOTATION_XML)
        return element->flags & CW_EL_MATH_POINT;
    crawl_slice encoding = cw_html_value(values, CW_AT_ENCODING);
    return cw_equal_nocase(encoding, crawl_slice_from("text/html")) ||
           cw_equal_nocase(encoding, crawl_slice_from("application/xhtml+xml"));
}

/* <math> inside SVG is an element of SVG, and vice versa. */
static void open_foreign(page_context *context, const cw_html_element *element, const cw_html_values *values)
{
    namespace here = namespace_here(context);
    if (here == CW_NS_SVG ? (element->flags & CW_EL_SVG_POINT) : is_math_point(element, values))
        html_walk_push(context, element, CW_NS_HTML);
    else if (element->flags & CW_EL_FOREIGN)
        html_walk_push(context, element, here);
}

static void open_html(page_context *context, const cw_html_element *element, bool self_closing)
{
    if ((element->flags & CW_EL_FOREIGN) && !self_closing)
        html_walk_push(context, element, element->id == CW_ID_SVG ? CW_NS_SVG : CW_NS_MATHML);
    context->templates += element->id == CW_ID_TEMPLATE;
    context->noscript = context->noscript || element->id == CW_ID_NOSCRIPT;
}

/* Records a start tag with the attributes of its row. true: it begins an element of HTML; false: of SVG or MathML. */
static bool open_element(page_context *context, const cw_html_element *element, const cw_html_values *values,
                         bool self_closing)
{
    if (namespace_here(context) != CW_NS_HTML && html_walk_leaves(element, values))
        leave_foreign(context);
    if (namespace_here(context) == CW_NS_HTML) {
        open_html(context, element, self_closing);
        return !(element->flags & CW_EL_FOREIGN);
    }
    if (!self_closing)
        open_foreign(context, element, values);
    return false;
}

/* The end tag of an element that cannot be inside SVG or MathML closes one around them, and them with it; but </head>
 * and </body> close nothing there. */
static void close_around(page_context *context, const cw_html_element *element)
{
    if (namespace_here(context) != CW_NS_HTML && (element->flags & CW_EL_LEAVES_FOREIGN) && element->id != CW_ID_HEAD &&
        element->id != CW_ID_BODY)
        leave_foreign(context);
}

/* Records an end tag. */
static void close_element(page_context *context, const cw_html_element *element)
{
    for (unsigned depth = context->foreign_depth; depth > 0; depth--) {
        if (context->foreign[depth - 1].element == element) {
            context->foreign_depth = depth - 1;
            return;
        }
    }
    close_around(context, element);
    if (element->id == CW_ID_TEMPLATE && context->templates)
        context->templates--;
    if (element->id == CW_ID_NOSCRIPT)
        context->noscript = false;
}

/* --- the walk --- */

_Static_assert(CW_ID_COUNT <= 32, "cw_html_visitor.wanted has no room for them");

typedef struct page_walk {
    cw_html_scanner scanner;
    cw_html_skimmer *skimmer; /* NULL: text or every tag is wanted, so no tag is skipped */
    page_context context;
    const cw_html_visitor *visitor;
    uint32_t attributes;       /* CW_AT_ bits to read */
    cw_html_attributes *split; /* of the tag; NULL: nobody needs all of them */
    const char *styled;        /* end of the last <style> of SVG; one that begins earlier is part of it */
    bool title;                /* the title was passed on: only the first counts */
} page_walk;

/* Skips the text of an element that contains only text. */
static crawl_slice skip_raw(page_walk *w, const cw_html_element *element)
{
    if (element->id == CW_ID_SCRIPT)
        return cw_html_skip_script(&w->scanner);
    if (element->id != CW_ID_PLAINTEXT)
        return cw_html_skip_text(&w->scanner, crawl_slice_of(element->name, element->size));
    w->scanner.at = w->scanner.end;
    return (crawl_slice){0};
}

/* Returns true if an element of HTML counts here. An element about the document counts only outside <template>, whose
 * content does not belong to the document. A base counts only where browsers see it, since the links were written for
 * them: they do not look into <noscript>. */
static bool speaks(const page_walk *w, const cw_html_element *element)
{
    if ((element->flags & CW_EL_METADATA) && w->context.templates)
        return false;
    return !(element->id == CW_ID_BASE && w->context.noscript);
}

/* --- listeners to every token --- */

static bool is_every_tag_told(const cw_html_visitor *visitor)
{
    bool is_told = false;
    for (size_t i = 0; i < CW_HTML_LISTENERS; i++)
        is_told = is_told || visitor->every[i];
    return is_told;
}

static bool is_heard_by_all(const cw_html_visitor *visitor)
{
    return visitor->texts || is_every_tag_told(visitor);
}

static bool wants_text(const cw_html_visitor *visitor)
{
    bool wanted = visitor->texts;
    for (size_t i = 0; i < CW_HTML_LISTENERS; i++)
        wanted = wanted || (visitor->every[i] && visitor->every[i]->text);
    return wanted;
}

static crawl_err tell_style(const page_walk *w, crawl_slice text, bool markup)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < CW_HTML_LISTENERS && !err; i++) {
        const cw_html_every *every = w->visitor->every[i];
        err = every && every->style ? every->style(every->user, text, markup) : CRAWL_OK;
    }
    return err;
}

static crawl_err tell_script(const page_walk *w, crawl_slice text)
{
    const cw_html_visitor *visitor = w->visitor;
    crawl_err err = visitor->script ? visitor->script(visitor->owner, text) : CRAWL_OK;
    for (size_t i = 0; i < CW_HTML_LISTENERS && !err; i++) {
        const cw_html_every *every = w->visitor->every[i];
        err = every && every->script ? every->script(every->user, text) : CRAWL_OK;
    }
    return err;
}

static crawl_err tell_piece(const page_walk *w, crawl_slice text)
{
    crawl_err err = w->visitor->texts ? cw_html_texts_add(w->visitor->texts, text) : CRAWL_OK;
    for (size_t i = 0; i < CW_HTML_LISTENERS && !err; i++) {
        const cw_html_every *every = w->visitor->every[i];
        err = every && every->text ? every->text(every->user, text) : CRAWL_OK;
    }
    return err;
}

static crawl_err tell_cdata(const page_walk *w, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < CW_HTML_LISTENERS && !err; i++) {
        const cw_html_every *every = w->visitor->every[i];
        err = every && every->cdata ? every->cdata(every->user, text) : CRAWL_OK;
    }
    return err;
}

static crawl_err html_walk_tell_text(page_walk *w)
{
    crawl_err err = CRAWL_OK;
    crawl_slice text = {0}, cdata = {0};
    bool is_last = false;
    while (!err && !is_last && cw_html_next_text(&w->scanner, &text, &cdata)) {
        err = text.size ? tell_piece(w, text) : CRAWL_OK;
        if (!err && cdata.size)
            err = tell_cdata(w, cdata);
        is_last = text.data + text.size == w->scanner.at; /* no comment follows it */
    }
    return err;
}

/* Passes on a tag; the scanner must be at its end. */
static crawl_err tell_tag(const page_walk *w, const cw_html_tag *tag, const cw_html_element *element,
                          const cw_html_values *values, bool self_closing)
{
    cw_html_texts *texts = w->visitor->texts;
    namespace here = namespace_here(&w->context);
    const cw_html_token token = {
        .tag = *tag,
        .attributes = w->split,
        .end = w->scanner.at,
        .self_closing = self_closing,
        .svg = here == CW_NS_SVG,
        .html = here == CW_NS_HTML,
        .in_template = w->context.templates > 0,
    };
    crawl_err err = texts ? cw_html_texts_tag(texts, tag, element, values) : CRAWL_OK;
    for (size_t i = 0; i < CW_HTML_LISTENERS && !err; i++) {
        const cw_html_every *every = w->visitor->every[i];
        err = every && every->tag ? every->tag(every->user, &token) : CRAWL_OK;
    }
    return err;
}

/* --- elements --- */

/* An xlink:href only has a meaning in SVG. */
static crawl_err hand_over_with_xlink(const page_walk *w, const cw_html_element *element, const cw_html_values *values)
{
    cw_html_values others = *values;
    if (namespace_here(&w->context) != CW_NS_SVG)
        others.found &= ~(unsigned)CW_AT_XLINK_HREF;
    return others.found ? w->visitor->element(w->visitor->user, element, &others) : CRAWL_OK;
}

static inline crawl_err html_walk_hand_over(const page_walk *w, const cw_html_element *element,
                                            const cw_html_values *values)
{
    bool wanted = w->visitor->wanted >> element->id & 1;
    if (wanted && (values->found & CW_AT_XLINK_HREF))
        return hand_over_with_xlink(w, element, values);
    return wanted && values->found ? w->visitor->element(w->visitor->user, element, values) : CRAWL_OK;
}

/* Passes on the values without placeholders. */
static crawl_err hand_over_filled(const page_walk *w, const cw_html_element *element, const cw_html_values *values)
{
    cw_html_values filled = *values;
    for (unsigned at = 0; at < CW_AT_COUNT; at++)
        if ((filled.found >> at & 1) && cw_html_has_blank(filled.value[at]))
            filled.found &= ~(1u << at);
    return html_walk_hand_over(w, element, &filled);
}

static crawl_err html_walk_take_html(page_walk *w, const cw_html_element *element, const cw_html_values *values,
                                     bool empty)
{
    bool heard = speaks(w, element);
    crawl_err err = CRAWL_OK;
    if (heard && (element->flags & CW_EL_WANTED))
        err = w->context.templates ? hand_over_filled(w, element, values) : html_walk_hand_over(w, element, values);
    crawl_slice text = {0};
    if ((element->flags & CW_EL_RAW) && !empty)
        text = skip_raw(w, element);
    if (element->id == CW_ID_STYLE && !err)
        err = tell_style(w, text, w->visitor->xml);
    if (element->id == CW_ID_SCRIPT && !err)
        err = tell_script(w, text);
    if (element->id == CW_ID_XMP && !err)
        err = tell_cdata(w, text);
    if (err || !heard || element->id != CW_ID_TITLE || w->title || !w->visitor->title)
        return err;
    w->title = true;
    return w->visitor->title(w->visitor->user, cw_utf8_cut(cw_trim(text), CW_HTML_MAX_RAW_TITLE));
}

/* The <style> of SVG holds text and tags like any element, so the walk continues after its start tag. */
static crawl_err tell_style_of_svg(page_walk *w)
{
    cw_html_scanner ahead = w->scanner;
    if (!is_heard_by_all(w->visitor) || ahead.at < w->styled)
        return CRAWL_OK;
    crawl_slice text = cw_html_skip_text(&ahead, crawl_slice_from("style"));
    w->styled = ahead.at;
    return tell_style(w, text, true);
}

static crawl_err take_start(page_walk *w, const cw_html_element *element, const cw_html_values *values,
                            bool self_closing)
{
    namespace here = namespace_here(&w->context);
    if (open_element(&w->context, element, values, self_closing))
        return html_walk_take_html(w, element, values, self_closing && w->visitor->xml);
    if (element->id == CW_ID_STYLE && here == CW_NS_SVG && !self_closing)
        return tell_style_of_svg(w);
    /* SVG has links under HTML's name, and they are followed alike. */
    return element->id == CW_ID_A && here == CW_NS_SVG ? html_walk_hand_over(w, element, values) : CRAWL_OK;
}

/* Takes a complete tag. */
static crawl_err html_walk_take_tag(page_walk *w, const cw_html_tag *tag, const cw_html_element *element,
                                    const cw_html_values *values, bool self_closing)
{
    crawl_err err = w->skimmer ? CRAWL_OK : tell_tag(w, tag, element, values, self_closing);
    if (!element || err)
        return err;
    if (element->flags == CW_EL_WANTED && !tag->closing && w->scanner.skimmer) /* changes nothing */
        return html_walk_hand_over(w, element, values);
    if (tag->closing)
        close_element(&w->context, element);
    else
        err = take_start(w, element, values, self_closing);
    w->scanner.cdata = w->visitor->xml || is_in_foreign(&w->context);
    w->scanner.skimmer = html_walk_is_plain(&w->context) ? w->skimmer : NULL;
    return err;
}

/* Returns the attributes to read: of the elements that are passed on, or else those that decide how the page is
 * read. */
static uint32_t attributes_wanted(const cw_html_visitor *visitor)
{
    const uint32_t deciding = CW_AT_ENCODING | CW_AT_COLOR | CW_AT_FACE | CW_AT_SIZE;
    uint32_t all = visitor->texts ? UINT32_MAX : ~(uint32_t)CW_AT_ALT;
    return visitor->wanted || visitor->texts ? all : deciding;
}

/* Returns the row of an element; most tags have none, which the table of skippable names tells at once. Link texts end
 * at end tags, which that table skips. */
static const cw_html_element *element_of(const page_walk *w, const cw_html_tag *tag)
{
    const char *first = tag->closing ? tag->name.data - 1 : tag->name.data;
    size_t size = tag->name.size < CW_HTML_SIZE_UNKNOWN ? tag->name.size : CW_HTML_SIZE_UNKNOWN;
    bool is_asked = w->skimmer || w->visitor->texts || !html_walk_is_plain(&w->context);
    bool is_passed = !is_asked && cw_html_passed_sizes[(unsigned char)*first] >> size & 1;
    return is_passed ? NULL : cw_html_element_named(tag->name, w->context.foreign_depth);
}

/* false: the page ends first. */
static bool finish_tag(page_walk *w, const cw_html_tag *tag, const cw_html_element *element, cw_html_values *values,
                       bool *self_closing)
{
    uint32_t wanted = element ? element->attributes & w->attributes : 0;
    if (!w->split || tag->closing)
        return cw_html_finish_tag(&w->scanner, wanted, values, self_closing);
    bool ends = cw_html_split_tag(&w->scanner, w->split, self_closing);
    cw_html_values_of(w->split, wanted, values);
    return ends;
}

crawl_err cw_html_walk(crawl_slice html, const cw_html_visitor *visitor)
{
    if (!html.size)
        return CRAWL_OK;
    cw_html_skimmer skimmer; /* its marks are made before they are read */
    cw_html_skimmer_start(&skimmer);
    cw_html_attributes split;
    cw_html_skimmer *used = is_heard_by_all(visitor) ? NULL : &skimmer;
    page_walk w = {
        .scanner = {html.data, html.data + html.size, visitor->xml, used},
        .skimmer = used,
        .visitor = visitor,
        .styled = html.data,
        .attributes = attributes_wanted(visitor),
        .split = is_every_tag_told(visitor) ? &split : NULL,
    };
    crawl_err err = wants_text(visitor) ? html_walk_tell_text(&w) : CRAWL_OK;
    cw_html_values values;
    bool self_closing;
    for (cw_html_tag tag; !err && cw_html_next_tag(&w.scanner, &tag);) {
        const cw_html_element *element = element_of(&w, &tag);
        if (!finish_tag(&w, &tag, element, &values, &self_closing))
            break;
        err = html_walk_take_tag(&w, &tag, element, &values, self_closing);
        if (!err && wants_text(visitor))
            err = html_walk_tell_text(&w);
    }
    return visitor->texts && !err ? cw_html_texts_end(visitor->texts) : err;
}
