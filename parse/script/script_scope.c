/* Bindings: see script_scope.h. Blocks and functions are told apart by their brackets (ECMA-262, 9.1 "Environment
 * Records"); a `var` counts as one of its block. */
#include "parse/script/script_scope.h"

#include "base/array.h"
#include "base/bytes.h"

#include <stdlib.h>

/* Bindings of one hash that are looked at; tokens that are searched for assignments to a name. A name beyond them is
 * unknown. The chains of the largest text. */
enum { MAX_LOOKED_AT = 64, MAX_SEARCHED = 32768, MAX_CHAINS = 16384 };

const uint8_t cw_script_classes[128] = {
    ['('] = CW_SCRIPT_OPENS | CW_SCRIPT_CONTINUES | CW_SCRIPT_MAY_JOIN,
    ['['] = CW_SCRIPT_OPENS | CW_SCRIPT_CONTINUES | CW_SCRIPT_MAY_JOIN,
    ['`'] = CW_SCRIPT_OPENS | CW_SCRIPT_CONTINUES | CW_SCRIPT_MAY_JOIN,
    ['{'] = CW_SCRIPT_OPENS,
    ['$'] = CW_SCRIPT_OPENS,
    ['.'] = CW_SCRIPT_CONTINUES,
    [')'] = CW_SCRIPT_CLOSES | CW_SCRIPT_ENDS_VALUE,
    [']'] = CW_SCRIPT_CLOSES | CW_SCRIPT_ENDS_VALUE,
    ['}'] = CW_SCRIPT_CLOSES | CW_SCRIPT_ENDS_VALUE,
    ['t'] = CW_SCRIPT_CLOSES | CW_SCRIPT_ENDS_VALUE,
    ['s'] = CW_SCRIPT_ENDS_VALUE | CW_SCRIPT_MAY_JOIN,
    ['w'] = CW_SCRIPT_MAY_JOIN,
    ['0'] = CW_SCRIPT_ENDS_VALUE,
    ['r'] = CW_SCRIPT_ENDS_VALUE,
};

bool cw_script_is_word(const cw_script_scope *s, uint32_t i, const char *word)
{
    return cw_script_kind(s, i) == CW_SCRIPT_WORD && cw_is(cw_script_text(s, i), word);
}

static bool scope_is_among(const cw_script_scope *s, uint32_t i, const char *const *words)
{
    if (cw_script_kind(s, i) != CW_SCRIPT_WORD)
        return false;
    crawl_slice word = cw_script_text(s, i);
    for (; *words; words++)
        if (*word.data == **words && cw_is(word, *words))
            return true;
    return false;
}

/* Returns true for b of a.b, a?.b and ...b. */
static bool scope_is_member(const cw_script_scope *s, uint32_t i)
{
    char before = i ? cw_script_kind(s, i - 1) : '\0';
    return before == '.' || (before == CW_SCRIPT_OPERATOR && cw_starts_with(cw_script_text(s, i - 1), "?."));
}

bool cw_script_take_number(const cw_script_scope *s, uint32_t i, uint64_t *number)
{
    crawl_slice digits = cw_script_kind(s, i) == CW_SCRIPT_NUMBER ? cw_script_text(s, i) : (crawl_slice){0};
    bool is_octal = digits.size > 1 && *digits.data == '0';
    *number = 0;
    for (size_t k = 0; k < digits.size; k++)
        *number = *number * 10 + (uint64_t)(digits.data[k] - '0');
    return digits.size && digits.size < 16 && !is_octal && cw_count_digits(digits) == digits.size;
}

bool cw_script_begins_operand(const cw_script_scope *s, uint32_t i)
{
    static const char *const keywords[] = {"return", "of",    "in",      "typeof", "case",   "else",  "await",
                                           "yield",  "throw", "default", "void",   "delete", "const", NULL};
    char kind = cw_script_kind(s, i);
    bool is_word = kind == CW_SCRIPT_WORD || kind == CW_SCRIPT_TEMPLATE;
    return !i || (!scope_is_member(s, i) && cw_script_kind(s, i - 1) != '+' &&
                  (is_word || !cw_script_is(s, i - 1, CW_SCRIPT_ENDS_VALUE)) &&
                  (is_word || cw_script_kind(s, i - 1) != CW_SCRIPT_WORD || scope_is_among(s, i - 1, keywords)));
}

uint32_t cw_script_behind_member(cw_script_scope *s, uint32_t i)
{
    if (!cw_script_is(s, i, CW_SCRIPT_CONTINUES) || !cw_script_spend(s, 1))
        return 0;
    if (cw_script_kind(s, i) != '.')
        return cw_script_behind(s, i);
    return cw_script_kind(s, i + 1) == CW_SCRIPT_WORD ? i + 2 : 0;
}

uint32_t cw_script_behind_operand(cw_script_scope *s, uint32_t i)
{
    i = cw_script_behind(s, i);
    for (uint32_t next; (next = cw_script_behind_member(s, i)) != 0;)
        i = next;
    return i;
}

uint32_t cw_script_behind_comma(cw_script_scope *s, uint32_t i, uint32_t close)
{
    while (i < close && cw_script_kind(s, i) != ',' && cw_script_spend(s, 1))
        i = cw_script_behind(s, i);
    return i < close ? i + 1 : close;
}

/* --- binding --- */

static uint32_t *scope_chain(const cw_script_scope *s, uint32_t name)
{
    return &s->chains[cw_fnv1a(cw_script_text(s, name)) & s->chain_mask];
}

static void scope_bind(cw_script_scope *s, uint32_t name, cw_script_binding made)
{
    if (s->err || !cw_script_spend(s, 1))
        return;
    s->err = CW_ARRAY_RESERVE(s->list, s->capacity, s->count + 1, 32);
    if (s->err)
        return;
    uint32_t *chain = scope_chain(s, name);
    made.name = name;
    made.before = *chain;
    s->list[s->count++] = made;
    *chain = (uint32_t)s->count;
}

/* Hides all names of parameters or of a pattern. */
static void scope_hide(cw_script_scope *s, uint32_t i, uint32_t behind, cw_script_binding made)
{
    made.bound = CW_SCRIPT_HIDDEN;
    for (; i < behind && cw_script_spend(s, 1); i++)
        if (cw_script_kind(s, i) == CW_SCRIPT_WORD && cw_script_kind(s, i - 1) != '.')
            scope_bind(s, i, made);
}

/* Binds a name, or the names of a pattern: {a, b: c} or [a, b], without defaults. */
static void scope_bind_target(cw_script_scope *s, uint32_t target, cw_script_binding made)
{
    uint32_t close = cw_script_behind(s, target) - 1, i = target + 1;
    bool is_object = cw_script_kind(s, target) == '{';
    if (cw_script_kind(s, target) == CW_SCRIPT_WORD)
        scope_bind(s, target, made);
    if (!is_object && cw_script_kind(s, target) != '[')
        return;
    scope_hide(s, i, close, made);
    for (made.nth = is_object ? 0 : 1; i < close; i = cw_script_behind_comma(s, i, close)) {
        bool has_name = is_object && cw_script_kind(s, i + 1) == ':';
        uint32_t name = has_name ? i + 2 : i;
        made.member = is_object ? i : 0;
        if (cw_script_kind(s, name) == CW_SCRIPT_WORD && cw_script_is_any(s, name + 1, ",}]"))
            scope_bind(s, name, made);
        made.nth += !is_object;
    }
}

/* --- declarations --- */

/* Returns the token that ends what begins here: the block, the arguments, the text. */
static uint32_t scope_end(const cw_script_scope *s)
{
    return s->around < CW_SCRIPT_NO_TOKEN ? s->tokens.list[s->around].extent : (uint32_t)s->tokens.count;
}

/* Returns true if a new statement begins without a ";": two values in a row. */
static bool scope_begins_statement(const cw_script_scope *s, uint32_t i)
{
    static const char *const between[] = {"in", "of", "instanceof", "as", NULL};
    static const char *const before[] = {"new",    "typeof", "await",  "void", "async", "yield",      "function",
                                         "delete", "class",  "return", "in",   "of",    "instanceof", NULL};
    return cw_script_kind(s, i) == CW_SCRIPT_WORD &&
           (cw_script_kind(s, i - 1) == CW_SCRIPT_WORD || cw_script_is(s, i - 1, CW_SCRIPT_ENDS_VALUE)) &&
           !scope_is_among(s, i, between) && !scope_is_among(s, i - 1, before);
}

/* Returns the token that ends the statement. */
static uint32_t scope_statement_end(cw_script_scope *s, uint32_t i, uint32_t end, const char *ends)
{
    while (i < end && !cw_script_is_any(s, i, ends) && !scope_begins_statement(s, i) && cw_script_spend(s, 1))
        i = cw_script_behind(s, i);
    return i;
}

static void scope_declare(cw_script_scope *s, uint32_t i)
{
    uint32_t end = scope_end(s), k = i;
    cw_script_binding made = {.to = end, .is_const = cw_script_is_word(s, i, "const")};
    made.block = s->around < CW_SCRIPT_NO_TOKEN ? s->around + 1 : 0;
    do {
        uint32_t target = k + 1;
        k = cw_script_behind(s, target);
        made.bound = cw_script_kind(s, k) == '=' ? CW_SCRIPT_VALUE_OF : CW_SCRIPT_HIDDEN;
        made.from = k;
        made.value = k + 1;
        scope_bind_target(s, target, made);
        k = scope_statement_end(s, k, end, ",;");
    } while (k < end && cw_script_kind(s, k) == ',' && s->fuel > 0);
}

/* --- assignments --- */

static bool scope_is_name(const cw_script_scope *s, uint32_t i, uint32_t name)
{
    return cw_script_kind(s, i) == CW_SCRIPT_WORD && cw_script_kind(s, i - 1) != '.' &&
           crawl_slice_equal(cw_script_text(s, i), cw_script_text(s, name));
}

/* Finds the binding of a name at a token. NULL: there is none. */
static cw_script_binding *scope_find(cw_script_scope *s, uint32_t name, uint32_t i)
{
    unsigned looked_at = 0;
    for (uint32_t at = *scope_chain(s, name); at && looked_at++ < MAX_LOOKED_AT;) {
        cw_script_binding *binding = &s->list[at - 1];
        if (binding->from <= i && i < binding->to &&
            crawl_slice_equal(cw_script_text(s, name), cw_script_text(s, binding->name)))
            return binding;
        at = binding->before;
    }
    cw_script_spend(s, 1 + looked_at / 4);
    return NULL;
}

/* Returns true for brackets whose names are assigned, but not declared: [a, b] = c, for ({a} of b). */
static bool scope_is_pattern(const cw_script_scope *s, uint32_t i)
{
    char kind = cw_script_kind(s, i);
    if (kind != '[' && kind != '{')
        return false;
    uint32_t behind = cw_script_behind(s, i);
    return (cw_script_kind(s, behind) == '=' || cw_script_is_word(s, behind, "of")) && cw_script_begins_operand(s, i) &&
           !cw_script_is_word(s, i - 1, "const");
}

/* Returns true if the name at i is assigned there, or a member of it. */
static bool scope_is_set(cw_script_scope *s, uint32_t i, bool has_members)
{
    uint32_t behind = has_members ? cw_script_behind_operand(s, i) : i + 1;
    if (cw_script_kind(s, i - 1) == CW_SCRIPT_STEPS || cw_script_is_any(s, behind, "=ei"))
        return true;
    bool is_in = cw_script_is_word(s, behind, "in") && cw_script_is_word(s, i - 2, "for");
    return cw_script_kind(s, i - 1) == '(' && (is_in || cw_script_is_word(s, behind, "of"));
}

/* Returns true if the name is assigned, or a member of the literal that it stands for. A function may do so before the
 * name is declared: it is searched as far as the maximum allows. */
static bool scope_is_assigned(cw_script_scope *s, const cw_script_binding *binding)
{
    bool has_members = binding->bound == CW_SCRIPT_VALUE_OF && cw_script_is_any(s, binding->value, "{[");
    if (binding->is_const && !has_members)
        return false;
    uint32_t i = binding->to > MAX_SEARCHED ? binding->to - MAX_SEARCHED : 0, patterns_end = 0;
    bool is_long = i > binding->from;
    i = i > binding->block ? i : binding->block;
    if (is_long || !cw_script_spend(s, (binding->to - i) / 8))
        return true;
    for (; i < binding->to; i++) {
        if (scope_is_pattern(s, i) && cw_script_behind(s, i) > patterns_end)
            patterns_end = cw_script_behind(s, i);
        if (i == binding->name || !scope_is_name(s, i, binding->name) ||
            (i >= patterns_end && !scope_is_set(s, i, has_members)))
            continue;
        const cw_script_binding *found = scope_find(s, binding->name, i + 1);
        if (!found || found->name == binding->name)
            return true;
    }
    return false;
}

/* --- loops --- */

static uint32_t scope_find_mark(cw_script_scope *s, uint32_t i, uint32_t close, char mark)
{
    while (i < close && cw_script_kind(s, i) != mark && cw_script_spend(s, 1))
        i = cw_script_behind(s, i);
    return i;
}

/* Returns the token that ends the body of a loop: that of its block, or of its statement. */
static uint32_t scope_body_end(cw_script_scope *s, uint32_t i)
{
    uint32_t end = scope_end(s);
    while (i < end && cw_script_kind(s, i) != '{' && cw_script_kind(s, i) != ';' && cw_script_spend(s, 1))
        i = cw_script_behind(s, i);
    return cw_script_kind(s, i) == '{' ? s->tokens.list[i].extent : i < end ? i : end;
}

/* Returns a number that is a whole value. 0: it is none such. */
static uint32_t scope_whole_number(const cw_script_scope *s, uint32_t i)
{
    uint64_t ignored;
    bool ends = cw_script_is_any(s, i + 1, ",;") || scope_begins_statement(s, i + 1);
    return ends && cw_script_take_number(s, i, &ignored) ? i : 0;
}

/* Finds the first number of a counted loop, in its head or where the name is declared. 0: there is none. */
static uint32_t scope_first_number(cw_script_scope *s, uint32_t i, uint32_t condition, uint32_t name)
{
    for (; i < condition; i++)
        if (scope_is_name(s, i, name) && cw_script_kind(s, i + 1) == '=')
            return scope_whole_number(s, i + 2);
    const cw_script_binding *found = scope_find(s, name, name);
    cw_script_binding binding = found ? *found : (cw_script_binding){0};
    binding.to = condition;
    bool is_kept = binding.bound == CW_SCRIPT_VALUE_OF && !scope_is_assigned(s, &binding);
    return is_kept ? scope_whole_number(s, binding.value) : 0;
}

/* Returns true for what separates conditions: ; and &&. */
static bool scope_is_between(const cw_script_scope *s, uint32_t i)
{
    return cw_script_kind(s, i) == ';' ||
           (cw_script_kind(s, i) == CW_SCRIPT_OPERATOR && cw_is(cw_script_text(s, i), "&&"));
}

/* Takes for (...; name < bound; name++). */
static void scope_bind_counted(cw_script_scope *s, uint32_t open, cw_script_binding made)
{
    uint32_t close = s->tokens.list[open].extent, condition = scope_find_mark(s, open + 1, close, ';') + 1;
    uint32_t step = scope_find_mark(s, condition, close, ';') + 1;
    uint32_t name = cw_script_kind(s, step) == CW_SCRIPT_STEPS ? step + 1 : step;
    bool is_step = step + 2 == close && cw_script_kind(s, 2 * step + 1 - name) == CW_SCRIPT_STEPS &&
                   cw_script_kind(s, name) == CW_SCRIPT_WORD;
    if (!is_step || cw_script_is_word(s, name, "this"))
        return;
    for (uint32_t i = condition; i < step && cw_script_spend(s, 1); i++) {
        bool includes = cw_script_kind(s, i + 1) == CW_SCRIPT_OPERATOR && cw_is(cw_script_text(s, i + 1), "<=");
        bool is_bound = scope_is_name(s, i, name) && (includes || cw_script_kind(s, i + 1) == '<') &&
                        scope_is_between(s, i - 1) && scope_is_between(s, cw_script_behind_operand(s, i + 2));
        if (is_bound && (!made.stop || cw_script_kind(s, i + 2) == CW_SCRIPT_NUMBER)) {
            made.stop = i + 2;
            made.nth = includes;
        }
    }
    made.bound = CW_SCRIPT_COUNTED;
    made.value = scope_first_number(s, open + 1, condition, name);
    scope_hide(s, open + 1, condition - 1, made);
    if (made.stop && made.value)
        scope_bind(s, name, made);
}

static const char *const scope_declares[] = {"const", "let", "var", NULL};

static void scope_bind_loop(cw_script_scope *s, uint32_t open)
{
    uint32_t close = s->tokens.list[open].extent, target = open + 1;
    target += scope_is_among(s, target, scope_declares);
    uint32_t behind = cw_script_behind(s, target);
    cw_script_binding made = {.from = close + 1, .to = scope_body_end(s, close + 1), .value = behind + 1};
    made.block = made.from;
    bool is_of = cw_script_is_word(s, behind, "of");
    if (is_of || cw_script_is_word(s, behind, "in")) {
        made.bound = is_of ? CW_SCRIPT_ITEM_OF : CW_SCRIPT_KEY_OF;
        made.stop = close;
        scope_bind_target(s, target, made);
    } else {
        scope_bind_counted(s, open, made);
    }
}

/* --- functions --- */

/* Binds the parameters of a function: a name, or brackets. */
static void scope_bind_parameters(cw_script_scope *s, uint32_t first)
{
    uint32_t body = cw_script_behind(s, first), target = first + (cw_script_kind(s, first) == '(');
    cw_script_binding made = {.from = body, .block = body, .value = s->receiver, .stop = s->receiver_stop};
    uint32_t close = target > first ? body - 1 : body;
    body += cw_script_kind(s, body) == CW_SCRIPT_ARROW;
    made.to = cw_script_kind(s, body) == '{' ? s->tokens.list[body].extent : scope_end(s);
    scope_hide(s, target, close, made);
    made.bound = CW_SCRIPT_ITEM_OF;
    if (first == s->callback)
        scope_bind_target(s, target, made);
}

/* Notes the callback that this operand's items are given to, if there is one. */
static void scope_note_callback(cw_script_scope *s, uint32_t operand)
{
    static const char *const methods[] = {"map", "forEach", "flatMap", NULL};
    for (uint32_t i = cw_script_behind(s, operand), next; (next = cw_script_behind_member(s, i)) != 0; i = next) {
        if (cw_script_kind(s, i) == '.' && cw_script_kind(s, next) == '(' && scope_is_among(s, i + 1, methods)) {
            s->receiver = operand;
            s->receiver_stop = i;
            s->callback = i + 3 + cw_script_is_word(s, i + 3, "function");
            return;
        }
    }
}

static void scope_visit_word(cw_script_scope *s, uint32_t i)
{
    bool is_in_loop = i >= 2 && cw_script_kind(s, i - 1) == '(' && cw_script_is_word(s, i - 2, "for");
    bool is_member = scope_is_member(s, i);
    if (cw_script_kind(s, i + 1) == CW_SCRIPT_ARROW) {
        scope_bind_parameters(s, i);
    } else if (cw_script_is_any(s, i + 1, "w{[") && !is_in_loop && !is_member) {
        if (scope_is_among(s, i, scope_declares))
            scope_declare(s, i);
        else if (cw_script_is_word(s, i, "function") || cw_script_is_word(s, i, "class"))
            scope_hide(s, i + 1, i + 2, (cw_script_binding){.from = i, .to = scope_end(s)});
    } else if (!is_member) {
        scope_note_callback(s, i);
    }
}

static void scope_visit_parentheses(cw_script_scope *s, uint32_t i)
{
    static const char *const others[] = {"if", "while", "switch", "with", NULL};
    uint32_t behind = cw_script_behind(s, i);
    if (i && cw_script_is_word(s, i - 1, "for"))
        scope_bind_loop(s, i);
    else if (cw_script_kind(s, behind) == CW_SCRIPT_ARROW ||
             (cw_script_kind(s, behind) == '{' && i && !scope_is_among(s, i - 1, others)))
        scope_bind_parameters(s, i);
}

void cw_script_scope_visit(cw_script_scope *s, uint32_t i)
{
    char kind = cw_script_kind(s, i);
    if (kind == CW_SCRIPT_WORD)
        scope_visit_word(s, i);
    else if (kind == '(')
        scope_visit_parentheses(s, i);
    else if (kind == '[' && cw_script_begins_operand(s, i))
        scope_note_callback(s, i);
    if (cw_script_is(s, i, CW_SCRIPT_OPENS))
        s->around = i;
    else if (cw_script_is(s, i, CW_SCRIPT_CLOSES))
        s->around = s->tokens.list[i].extent;
}

/* --- looking up --- */

const cw_script_binding *cw_script_resolve(cw_script_scope *s, uint32_t i)
{
    cw_script_binding *binding = scope_find(s, i, i);
    if (binding && binding->bound != CW_SCRIPT_HIDDEN && !binding->is_checked) {
        binding->is_checked = true;
        if (scope_is_assigned(s, binding))
            binding->bound = CW_SCRIPT_HIDDEN;
    }
    return binding && binding->bound != CW_SCRIPT_HIDDEN ? binding : NULL;
}

/* --- around an expression --- */

void cw_script_find_name(const cw_script_scope *s, uint32_t i, cw_script_string *string)
{
    bool is_item = i && s->around < CW_SCRIPT_NO_TOKEN && cw_script_kind(s, s->around) == '[';
    is_item = is_item && cw_script_is_any(s, i - 1, "[,");
    if (is_item)
        i = s->around;
    if (i < 2 || !cw_script_is_any(s, i - 2, "ws"))
        return;
    if (cw_script_is_any(s, i - 1, ":="))
        string->how = CW_SCRIPT_VALUE;
    else if (!is_item && cw_script_kind(s, i - 1) == '(' && cw_script_kind(s, i - 2) == CW_SCRIPT_WORD)
        string->how = CW_SCRIPT_CALL;
    else
        return;
    string->name = cw_script_text(s, i - 2);
}

bool cw_script_is_inside_text(const cw_script_scope *s)
{
    uint32_t around = s->around;
    if (cw_script_kind(s, around) == '[')
        return cw_script_is_word(s, s->tokens.list[around].extent + 2, "join");
    if (cw_script_kind(s, around) != '(')
        return cw_script_kind(s, around) == CW_SCRIPT_INSERTS;
    bool is_added = around && cw_script_kind(s, around - 1) == '+';
    bool is_call = !is_added && !cw_script_begins_operand(s, around);
    return is_added || (!is_call && cw_script_is_any(s, s->tokens.list[around].extent + 1, "+."));
}

/* --- life --- */

crawl_err cw_script_scope_open(cw_script_scope *s, crawl_slice text)
{
    *s = (cw_script_scope){.around = CW_SCRIPT_NO_TOKEN, .callback = CW_SCRIPT_NO_TOKEN};
    crawl_err err = cw_script_tokenize(text, &s->tokens);
    uint32_t chains = 64;
    while (chains < MAX_CHAINS && chains * 8 < s->tokens.count)
        chains *= 2;
    s->chain_mask = chains - 1;
    s->chains = err ? NULL : calloc(chains, sizeof *s->chains);
    s->fuel = 4096 + 2 * (int64_t)s->tokens.count;
    return s->chains ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_script_scope_close(cw_script_scope *s)
{
    free(s->tokens.list);
    free(s->list);
    free(s->chains);
}
