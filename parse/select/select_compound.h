/* A compound selector, such as a.b[c]:not(d), as XPath: a node test and conditions on the node. */
#pragma once

#include "base/writer.h"
#include "parse/select/select_read.h"

/* `{0}` is empty. */
typedef struct cw_select_compound {
    crawl_buf node;  /* "div", "*", "*[name() = 'fb:like']" */
    crawl_buf tests; /* joined by "and" */
    crawl_buf tail;  /* for ::text or ::attr(NAME): "/text()", "/@NAME"; empty: the element itself */
    bool is_scope;   /* it contains :scope */
} cw_select_compound;

void cw_select_compound_free(cw_select_compound *compound);

/* Reads a compound, up to white space, a combinator, a comma, a parenthesis or the end. */
crawl_err cw_select_compound_read(cw_select_reader *reader, cw_select_compound *out);

/* Writes the " and " that the next test needs before it; the writer is at the end of the tests. */
cw_writer cw_select_next_test(cw_select_compound *compound);

/* Writes "axis::node[tests]". */
void cw_select_compound_put(cw_writer *writer, const char *axis, const cw_select_compound *compound);

/* Writes text as an XPath string, which has no escapes: text with both kinds of quotes is built by concat(). */
void cw_select_put_literal(cw_writer *writer, crawl_slice text);

/* Writes "@name", or "@*[name() = 'xlink:href']". */
void cw_select_put_attribute(cw_writer *writer, crawl_slice name);

/* --- select_pseudo.c --- */

/* Reads a pseudo-class or a pseudo-element from its colon on, and adds it to the compound. */
crawl_err cw_select_pseudo_read(cw_select_reader *reader, cw_select_compound *compound);
