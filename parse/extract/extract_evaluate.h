/* Evaluates the expressions of rules on a page, within the budget of one page. */
#pragma once

#include <crawl/extract.h>

#include <libxml/xpath.h>

/* An expression, and the pieces it is cut into (extract_path.h). */
typedef struct cw_extract_expression {
    xmlXPathCompExpr *whole;
    struct cw_extract_part *parts; /* NULL: it is one piece */
    size_t part_count;
    bool is_joining;
} cw_extract_expression;

/* {0} is closed. */
typedef struct cw_extract_evaluator {
    xmlXPathContext *context;
    cw_extract_expression *expressions; /* by the index of the rule */
    size_t count;
    unsigned long steps; /* remaining for the page */
    uint64_t pairs;      /* of nodes that may still be compared */
    size_t nodes;        /* of the page; 0: not counted */
    uint32_t *marks;     /* of each node, by its number: the last set that it is in */
    size_t mark_room;
    uint32_t mark;
    bool is_over; /* steps or pairs ran out for the last expression */
    bool is_cut;  /* for any of them */
} cw_extract_evaluator;

/* Nodes in document order, or a value. */
typedef struct cw_extract_found {
    xmlXPathObject *object; /* NULL: the expression failed, or nodes are not its own */
    xmlNode **nodes;
    size_t count;
    bool is_value;
    bool is_own; /* nodes are freed with it */
} cw_extract_found;

/* Compiles the expressions once per evaluator: libxml2 caches lookups in them, so threads cannot share them.
 * CRAWL_ENOMEM. */
crawl_err cw_extract_evaluator_open(cw_extract_evaluator *evaluator, const crawl_rules *rules);
void cw_extract_evaluator_close(cw_extract_evaluator *evaluator);

/* Begins with another page. */
void cw_extract_evaluator_set(cw_extract_evaluator *evaluator, xmlDoc *document);

/* Evaluates the expression of a rule from a node. CRAWL_ENOMEM. The caller frees what was found. */
crawl_err cw_extract_evaluate(cw_extract_evaluator *evaluator, size_t index, xmlNode *node, cw_extract_found *found);
void cw_extract_found_free(cw_extract_found *found);
