/* See extract_evaluate.h. libxml2 evaluates an expression as a whole, unless the page is so large that joining sets of
 * nodes would take long: then piece by piece, one node at a time. */
#include "parse/extract/extract_evaluate.h"

#include "parse/extract/extract_path.h"
#include "parse/extract/extract_rule.h"

#include <stdlib.h>

/* The most pairs that an expression with parts may compare before its parts are used. */
#define WHOLE_PAIRS (UINT64_C(1) << 28)

typedef struct cw_extract_part {
    xmlXPathCompExpr *compiled;
    bool begins;
    bool is_joining;
} cw_extract_part;

/* A growing set. */
typedef struct evaluate_set {
    xmlNode **nodes;
    size_t count;
    size_t room;
} evaluate_set;

#if LIBXML_VERSION >= 21200
typedef const xmlError *evaluate_error;
#else
typedef xmlErrorPtr evaluate_error;
#endif

/* libxml2 would print the error. A failure shows in the value of an expression. */
static void extract_evaluate_on_error(void *, evaluate_error)
{
}

/* Some faults of libxml2 are only reported this way. */
static void extract_evaluate_on_words(void *, const char *, ...)
{
}

/* ---- expressions ---- */

static crawl_err compile_part(xmlXPathContext *context, const cw_extract_piece *piece, cw_extract_part *part)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append_text(&text, piece->is_below ? "descendant-or-self::node()/" : "");
    if (!err)
        err = crawl_buf_append(&text, piece->text.data, piece->text.size);
    if (!err)
        part->compiled = xmlXPathCtxtCompile(context, BAD_CAST text.data);
    part->begins = piece->begins;
    part->is_joining = piece->is_joining;
    crawl_buf_free(&text);
    return err;
}

static void free_parts(cw_extract_expression *expression)
{
    for (size_t i = 0; i < expression->part_count; i++)
        xmlXPathFreeCompExpr(expression->parts[i].compiled);
    free(expression->parts);
    expression->parts = NULL;
    expression->part_count = 0;
}

/* The text was compiled before, when the rule was added, so only memory can be lacking. But libxml2 accepts some texts
 * that are not expressions, such as "////a", and a part of such a text may be invalid: then there are no parts. */
static crawl_err extract_evaluate_compile(xmlXPathContext *context, const char *xpath,
                                          cw_extract_expression *expression)
{
    cw_extract_pieces pieces;
    cw_extract_path_cut(crawl_slice_from(xpath), &pieces);
    expression->whole = xmlXPathCtxtCompile(context, BAD_CAST xpath);
    expression->is_joining = pieces.count > 1 || pieces.items[0].is_joining;
    if (!expression->whole || pieces.count == 1)
        return expression->whole ? CRAWL_OK : CRAWL_ENOMEM;
    expression->parts = calloc(pieces.count, sizeof *expression->parts);
    if (!expression->parts)
        return CRAWL_ENOMEM;
    bool is_one = true;
    for (; expression->part_count < pieces.count && is_one; expression->part_count++) {
        cw_extract_part *part = &expression->parts[expression->part_count];
        if (compile_part(context, &pieces.items[expression->part_count], part))
            return CRAWL_ENOMEM;
        is_one = part->compiled != NULL;
    }
    if (!is_one)
        free_parts(expression);
    return CRAWL_OK;
}

crawl_err cw_extract_evaluator_open(cw_extract_evaluator *e, const crawl_rules *rules)
{
    e->context = xmlXPathNewContext(NULL);
    e->expressions = calloc(rules->count + 1, sizeof *e->expressions);
    if (!e->context || !e->expressions)
        return CRAWL_ENOMEM;
    e->context->error = extract_evaluate_on_error;
    crawl_err err = CRAWL_OK;
    for (; e->count < rules->count && !err; e->count++)
        err = extract_evaluate_compile(e->context, rules->rules[e->count].xpath, &e->expressions[e->count]);
    return err;
}

void cw_extract_evaluator_close(cw_extract_evaluator *e)
{
    for (size_t i = 0; i < e->count; i++) {
        xmlXPathFreeCompExpr(e->expressions[i].whole);
        free_parts(&e->expressions[i]);
    }
    free(e->expressions);
    xmlXPathFreeContext(e->context);
    free(e->marks);
    *e = (cw_extract_evaluator){0};
}

/* ---- the nodes of a page ---- */

void cw_extract_evaluator_set(cw_extract_evaluator *e, xmlDoc *document)
{
    e->context->doc = document;
    e->steps = CRAWL_EXTRACT_MAX_STEPS;
    e->pairs = CRAWL_EXTRACT_MAX_PAIRS;
    e->nodes = 0;
    e->is_cut = false;
}

static xmlNode *extract_evaluate_next_node(xmlNode *node)
{
    if (node->children && node->type != XML_ENTITY_REF_NODE)
        return node->children;
    while (node && !node->next)
        node = node->parent;
    return node ? node->next : NULL;
}

/* Numbers the nodes in document order, from 1, once per page; the document itself has 0. */
static void number_nodes(cw_extract_evaluator *e)
{
    uintptr_t number = 0;
    e->context->doc->_private = NULL;
    for (xmlNode *node = e->context->doc->children; node && !e->nodes; node = extract_evaluate_next_node(node)) {
        node->_private = (void *)++number;
        for (xmlAttr *a = node->type == XML_ELEMENT_NODE ? node->properties : NULL; a; a = a->next)
            a->_private = (void *)++number;
    }
    e->nodes = number;
}

static size_t extract_evaluate_number_of(const xmlNode *node)
{
    return (uintptr_t)node->_private;
}

static int compare_numbers(const void *a, const void *b)
{
    size_t first = extract_evaluate_number_of(*(xmlNode *const *)a);
    size_t second = extract_evaluate_number_of(*(xmlNode *const *)b);
    return (first > second) - (first < second);
}

/* ---- sets ---- */

/* Begins an empty set. */
static crawl_err begin_set(cw_extract_evaluator *e)
{
    if (e->mark_room <= e->nodes) {
        free(e->marks);
        e->mark_room = 0;
        e->marks = malloc((e->nodes + 1) * sizeof *e->marks);
        if (!e->marks)
            return CRAWL_ENOMEM;
        e->mark_room = e->nodes + 1;
        e->mark = UINT32_MAX;
    }
    if (e->mark == UINT32_MAX) {
        memset(e->marks, 0, e->mark_room * sizeof *e->marks);
        e->mark = 0;
    }
    e->mark++;
    return CRAWL_OK;
}

/* Adds the nodes that are not in it. */
static crawl_err add_nodes(cw_extract_evaluator *e, evaluate_set *set, const xmlNodeSet *nodes)
{
    size_t most = set->count + (size_t)nodes->nodeNr;
    if (most > set->room) {
        size_t room = 2 * most;
        xmlNode **grown = realloc(set->nodes, room * sizeof(xmlNode *));
        if (!grown)
            return CRAWL_ENOMEM;
        set->nodes = grown;
        set->room = room;
    }
    for (int i = 0; i < nodes->nodeNr; i++) {
        xmlNode *node = nodes->nodeTab[i];
        if (node->type == XML_NAMESPACE_DECL)
            continue; /* is not an xmlNode, and means nothing in an HTML page */
        uint32_t *mark = &e->marks[extract_evaluate_number_of(node)];
        if (*mark != e->mark)
            set->nodes[set->count++] = node;
        *mark = e->mark;
    }
    return CRAWL_OK;
}

static void sort_set(evaluate_set *set)
{
    bool is_sorted = true;
    for (size_t i = 1; i < set->count && is_sorted; i++)
        is_sorted = compare_numbers(&set->nodes[i - 1], &set->nodes[i]) <= 0;
    if (!is_sorted)
        qsort(set->nodes, set->count, sizeof(xmlNode *), compare_numbers);
}

/* ---- evaluation ---- */

/* Evaluates with at most this many steps. NULL and *is_over: they ran out. */
static xmlXPathObject *evaluate_within(cw_extract_evaluator *e, xmlXPathCompExpr *compiled, xmlNode *node,
                                       unsigned long steps, bool *is_over)
{
    *is_over = !steps;
    if (!steps)
        return NULL;
    e->context->node = node;
    e->context->opLimit = steps;
    e->context->opCount = 0;
    xmlXPathObject *found = xmlXPathCompiledEval(compiled, e->context);
    *is_over = e->context->opCount >= steps;
    if (!*is_over)
        return found;
    xmlXPathFreeObject(found);
    return NULL;
}

/* Each step of an expression that joins sets may compare a node with all others. */
static unsigned long steps_within(const cw_extract_evaluator *e, uint64_t pairs)
{
    uint64_t most = pairs / (e->nodes + 1);
    return most < e->steps ? (unsigned long)most : e->steps;
}

/* Evaluates, and charges the page's budget. */
static xmlXPathObject *evaluate(cw_extract_evaluator *e, xmlXPathCompExpr *compiled, xmlNode *node, bool is_joining)
{
    bool is_over;
    unsigned long steps = is_joining ? steps_within(e, e->pairs) : e->steps;
    xmlXPathObject *found = evaluate_within(e, compiled, node, steps, &is_over);
    unsigned long taken = is_over ? steps : e->context->opCount;
    e->steps -= taken;
    e->pairs -= is_joining ? taken * (e->nodes + 1) : 0;
    e->is_over = e->is_over || is_over;
    return found;
}

/* Evaluates a part from each node of a set, and replaces the set by the result. */
static crawl_err extract_evaluate_take_part(cw_extract_evaluator *e, const cw_extract_part *part, evaluate_set *set)
{
    evaluate_set next = {0};
    crawl_err err = begin_set(e);
    for (size_t i = 0; i < set->count && !err && !e->is_over; i++) {
        xmlXPathObject *found = evaluate(e, part->compiled, set->nodes[i], part->is_joining);
        if (found && found->type == XPATH_NODESET && found->nodesetval)
            err = add_nodes(e, &next, found->nodesetval);
        xmlXPathFreeObject(found);
    }
    free(set->nodes);
    *set = next;
    return err;
}

/* Evaluates all parts. The alternatives of a union are separate sets until they are merged. */
static crawl_err extract_evaluate_take_parts(cw_extract_evaluator *e, const cw_extract_expression *expression,
                                             xmlNode *node, evaluate_set *all)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < expression->part_count && !err;) {
        xmlNodeSet from = {.nodeNr = 1, .nodeTab = &node};
        evaluate_set set = {0};
        err = begin_set(e);
        if (!err)
            err = add_nodes(e, &set, &from);
        do
            err = err ? err : extract_evaluate_take_part(e, &expression->parts[i], &set);
        while (++i < expression->part_count && !expression->parts[i].begins);
        if (!err)
            err = begin_set(e);
        xmlNodeSet alternatives[] = {{.nodeNr = (int)all->count, .nodeTab = all->nodes},
                                     {.nodeNr = (int)set.count, .nodeTab = set.nodes}};
        evaluate_set joined = {0};
        for (size_t k = 0; k < 2 && !err; k++)
            err = add_nodes(e, &joined, &alternatives[k]);
        free(set.nodes);
        free(all->nodes);
        *all = joined;
    }
    sort_set(all);
    return err;
}

/* Uses the parts of an expression if it would be too slow as a whole. */
static crawl_err find_by_parts(cw_extract_evaluator *e, const cw_extract_expression *expression, xmlNode *node,
                               cw_extract_found *found)
{
    bool is_over;
    found->object = evaluate_within(e, expression->whole, node, steps_within(e, WHOLE_PAIRS), &is_over);
    if (!is_over) {
        e->steps -= e->context->opCount;
        return CRAWL_OK;
    }
    evaluate_set set = {0};
    crawl_err err = extract_evaluate_take_parts(e, expression, node, &set);
    found->nodes = set.nodes;
    found->count = e->is_over ? 0 : set.count;
    found->is_own = true;
    return err;
}

crawl_err cw_extract_evaluate(cw_extract_evaluator *e, size_t index, xmlNode *node, cw_extract_found *found)
{
    const cw_extract_expression *expression = &e->expressions[index];
    crawl_err err = CRAWL_OK;
    xmlGenericErrorFunc before = xmlGenericError;
    void *before_user = xmlGenericErrorContext;
    *found = (cw_extract_found){0};
    e->is_over = false;
    xmlSetGenericErrorFunc(NULL, extract_evaluate_on_words);
    if (expression->is_joining && !e->nodes)
        number_nodes(e);
    if (expression->parts)
        err = find_by_parts(e, expression, node, found);
    else
        found->object = evaluate(e, expression->whole, node, expression->is_joining);
    xmlSetGenericErrorFunc(before_user, before);
    const xmlXPathObject *object = found->object;
    found->is_value = object && object->type != XPATH_NODESET;
    if (object && object->type == XPATH_NODESET && object->nodesetval) {
        found->nodes = object->nodesetval->nodeTab;
        found->count = (size_t)object->nodesetval->nodeNr;
    }
    e->is_cut = e->is_cut || e->is_over;
    return err;
}

void cw_extract_found_free(cw_extract_found *found)
{
    if (found->is_own)
        free(found->nodes);
    xmlXPathFreeObject(found->object);
    *found = (cw_extract_found){0};
}
