/* See html_context.h. Foreign content: HTML standard, 13.2.6.5. */
#include "parse/html/html_context.h"

#include "base/bytes.h"

cw_html_namespace cw_html_here(const cw_html_context *context)
{
    return context->foreign_depth ? context->foreign[context->foreign_depth - 1].inside : CW_NS_HTML;
}

static void push(cw_html_context *context, const cw_html_element *element, cw_html_namespace inside)
{
    if (context->foreign_depth < CW_HTML_MAX_FOREIGN)
        context->foreign[context->foreign_depth++] = (cw_html_foreign){element, inside};
}

/* Out of SVG and MathML, up to the integration point or the HTML around them. */
static void leave_foreign(cw_html_context *context)
{
    while (cw_html_here(context) != CW_NS_HTML)
        context->foreign_depth--;
}

static bool leaves(const cw_html_element *element, const cw_html_values *values)
{
    bool styled = values->found & (CW_AT_COLOR | CW_AT_FACE | CW_AT_SIZE);
    return (element->flags & CW_EL_LEAVES_FOREIGN) || (element->id == CW_ID_FONT && styled);
}

/* Does HTML stand inside this element of MathML? */
static bool is_math_point(const cw_html_element *element, const cw_html_values *values)
{
    if (element->id != CW_ID_ANNOTATION_XML)
        return element->flags & CW_EL_MATH_POINT;
    crawl_slice encoding = cw_html_value(values, CW_AT_ENCODING);
    return cw_equal_nocase(encoding, crawl_slice_from("text/html")) ||
           cw_equal_nocase(encoding, crawl_slice_from("application/xhtml+xml"));
}

/* <math> inside SVG is an element of SVG, and the other way round. */
static void open_foreign(cw_html_context *context, const cw_html_element *element, const cw_html_values *values)
{
    cw_html_namespace here = cw_html_here(context);
    if (here == CW_NS_SVG ? (element->flags & CW_EL_SVG_POINT) : is_math_point(element, values))
        push(context, element, CW_NS_HTML);
    else if (element->flags & CW_EL_FOREIGN)
        push(context, element, here);
}

static void open_html(cw_html_context *context, const cw_html_element *element, bool self_closing)
{
    if ((element->flags & CW_EL_FOREIGN) && !self_closing)
        push(context, element, element->id == CW_ID_SVG ? CW_NS_SVG : CW_NS_MATHML);
    context->templates += element->id == CW_ID_TEMPLATE;
    context->noscript = context->noscript || element->id == CW_ID_NOSCRIPT;
}

bool cw_html_open(cw_html_context *context, const cw_html_element *element, const cw_html_values *values,
                  bool self_closing)
{
    if (cw_html_here(context) != CW_NS_HTML && leaves(element, values))
        leave_foreign(context);
    if (cw_html_here(context) == CW_NS_HTML) {
        open_html(context, element, self_closing);
        return !(element->flags & CW_EL_FOREIGN);
    }
    if (!self_closing)
        open_foreign(context, element, values);
    return false;
}

/* The end tag of an element that cannot be inside SVG or MathML closes one around them, and them with it; but </head>
 * and </body> close nothing there. */
static void close_around(cw_html_context *context, const cw_html_element *element)
{
    if (cw_html_here(context) != CW_NS_HTML && (element->flags & CW_EL_LEAVES_FOREIGN) && element->id != CW_ID_HEAD &&
        element->id != CW_ID_BODY)
        leave_foreign(context);
}

void cw_html_close(cw_html_context *context, const cw_html_element *element)
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
