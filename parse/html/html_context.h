/* What of the tree around a tag decides how it is read: SVG and MathML, <template>, <noscript>. No tree is built: the
 * elements that matter are followed by name, which is the tree's own answer wherever these elements are closed. */
#ifndef CW_HTML_CONTEXT_H
#define CW_HTML_CONTEXT_H

#include "parse/html/html_element.h"

/* SVG, MathML and the integration points inside them that are followed at a time; deeper ones are taken for their
 * parent. A page nests two or three. */
#define CW_HTML_MAX_FOREIGN 64u

/* What kind of element stands inside another. */
typedef enum cw_html_namespace { CW_NS_HTML, CW_NS_SVG, CW_NS_MATHML } cw_html_namespace;

typedef struct cw_html_foreign {
    const cw_html_element *element;
    cw_html_namespace inside; /* of what stands in it: CW_NS_HTML for an integration point */
} cw_html_foreign;

/* `{0}` is the start of a page. */
typedef struct cw_html_context {
    cw_html_foreign foreign[CW_HTML_MAX_FOREIGN]; /* open ones, outermost first */
    unsigned foreign_depth;
    unsigned templates; /* open */
    bool noscript;      /* inside */
} cw_html_context;

/* Of elements that begin here. */
cw_html_namespace cw_html_here(const cw_html_context *context);

/* Is the text of SVG or MathML, where a CDATA section may stand? */
static inline bool cw_html_in_foreign(const cw_html_context *context)
{
    return context->foreign_depth && cw_html_here(context) != CW_NS_HTML;
}

/* Nothing is open that an end tag could close. */
static inline bool cw_html_is_plain(const cw_html_context *context)
{
    return !context->foreign_depth && !context->templates && !context->noscript;
}

/* Notes a start tag with the attributes that its element looks at. True if it begins an element of HTML, false if one
 * of SVG or MathML. */
bool cw_html_open(cw_html_context *context, const cw_html_element *element, const cw_html_values *values,
                  bool self_closing);

/* Notes an end tag. */
void cw_html_close(cw_html_context *context, const cw_html_element *element);

#endif
