/* Evaluates expressions of constants over the tokens of a script. Of a name with several values, such as each item of
 * an array, one is chosen, and the expression is evaluated again until all were. So "/" + a.x + "/" + a.y has as many
 * values as there are a. */
#include "parse/script/script_fold.h"

#include "base/bytes.h"
#include "parse/script/script_literal.h"
#include "parse/script/script_url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Values of an expression, and of a name; names with several values in it; bytes of a value; nested operands. */
enum { MAX_VALUES = 64, MAX_CHOICES = 4, MAX_VALUE = 16384, MAX_DEPTH = 24 };

/* Steps that a number of bytes costs. */
enum { BYTES_A_STEP = 8 };

typedef enum fold_kind {
    FOLD_UNKNOWN,
    FOLD_TEXT,   /* at the end of fold.text */
    FOLD_NUMBER, /* likewise */
    FOLD_ARRAY,  /* these are literals: at their token */
    FOLD_OBJECT,
    FOLD_KEYS, /* arrays made of the object at the token */
    FOLD_VALUES,
    FOLD_ENTRIES,
    FOLD_ENTRY /* the array of the key at the token and its value */
} fold_kind;

typedef struct fold_value {
    fold_kind kind;
    uint32_t token;
} fold_value;

typedef struct fold_choice {
    uint32_t key; /* the expression that has several values */
    uint32_t index;
    uint32_t count;
} fold_choice;

typedef struct fold {
    cw_script_scope scope;
    crawl_buf text;
    uint32_t next; /* the token behind the operand read last */
    unsigned depth;
    fold_choice choices[MAX_CHOICES];
    unsigned choice_count;
    uint32_t indexed; /* the bracket around an unknown index of this expression; 0: none yet */
} fold;

static const fold_value fold_unknown = {FOLD_UNKNOWN, 0};

static fold_value fold_sum(fold *f, uint32_t i);
static fold_value fold_operand(fold *f, uint32_t i, uint32_t stop);

/* --- text --- */

static bool fold_is_text(fold_value value)
{
    return value.kind == FOLD_TEXT || value.kind == FOLD_NUMBER;
}

/* Appends a piece, raw or not. Without room the text ends in something unknown. */
static fold_value fold_append(fold *f, crawl_slice piece, bool is_raw)
{
    cw_script_scope *s = &f->scope;
    if (!cw_script_spend(s, 1 + (int64_t)(piece.size / BYTES_A_STEP)) || f->text.size + piece.size > MAX_VALUE)
        return fold_unknown;
    crawl_err err = crawl_buf_append_char(&f->text, CW_SCRIPT_SEAM);
    if (!err)
        err = is_raw ? cw_script_unescape(piece, &f->text) : crawl_buf_append(&f->text, piece.data, piece.size);
    s->err = s->err ? s->err : err;
    return err ? fold_unknown : (fold_value){FOLD_TEXT, 0};
}

static void fold_cut(fold *f, size_t size)
{
    f->text.size = size < f->text.size ? size : f->text.size;
}

/* Puts the mark of something unknown in place of a value that is no text. */
static void fold_make_text(fold *f, size_t start, fold_value *value)
{
    static const char unknown[] = {CW_SCRIPT_UNKNOWN};
    if (fold_is_text(*value))
        return;
    fold_cut(f, start);
    crawl_err err = crawl_buf_append(&f->text, unknown, sizeof unknown);
    f->scope.err = f->scope.err ? f->scope.err : err;
    value->kind = FOLD_TEXT;
}

static fold_value fold_append_number(fold *f, uint64_t number)
{
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRIu64, number);
    fold_value value = fold_append(f, crawl_slice_of(digits, (size_t)size), false);
    return fold_is_text(value) ? (fold_value){FOLD_NUMBER, 0} : value;
}

/* Returns the number whose text begins at start. */
static uint64_t fold_number(const fold *f, size_t start)
{
    return strtoull(f->text.data + start + 1, NULL, 10);
}

/* --- items and members --- */

static bool fold_is_array(fold_value value)
{
    return value.kind == FOLD_ARRAY || (value.kind >= FOLD_KEYS && value.kind <= FOLD_ENTRY);
}

/* Returns how many items an array has, at most MAX_VALUES; 0 for others, and if items or keys are unknown. */
static uint32_t fold_count(fold *f, fold_value value)
{
    cw_script_scope *s = &f->scope;
    uint32_t count = 0, close = s->tokens.list[value.token].extent;
    if (value.kind == FOLD_ENTRY || !fold_is_array(value))
        return value.kind == FOLD_ENTRY ? 2 : 0;
    for (uint32_t i = value.token + 1; i < close && count < MAX_VALUES; count++) {
        if (value.kind == FOLD_ARRAY ? cw_script_kind(s, i) == '.' : !cw_script_property(s, i))
            return 0;
        i = cw_script_behind_comma(s, i, close);
    }
    return s->fuel > 0 ? count : 0;
}

static fold_value fold_item(fold *f, fold_value array, uint64_t index)
{
    bool is_entry = array.kind == FOLD_ENTRY;
    uint32_t i = is_entry               ? array.token
                 : fold_is_array(array) ? cw_script_item_place(&f->scope, array.token, index)
                                        : 0;
    if (!i || (is_entry && index > 1))
        return fold_unknown;
    if (array.kind == FOLD_ENTRIES)
        return (fold_value){FOLD_ENTRY, i};
    if (array.kind == FOLD_KEYS || (is_entry && !index))
        return fold_append(f, cw_script_text(&f->scope, i), cw_script_kind(&f->scope, i) == CW_SCRIPT_STRING);
    i = array.kind == FOLD_ARRAY ? i : cw_script_property(&f->scope, i);
    return i ? fold_sum(f, i) : fold_unknown;
}

/* Returns the value of a member of an object. */
static fold_value fold_member(fold *f, fold_value object, crawl_slice key)
{
    bool is_object = object.kind == FOLD_OBJECT;
    uint32_t place = is_object ? cw_script_member_place(&f->scope, object.token, key) : 0;
    return place ? fold_sum(f, place) : fold_unknown;
}

/* --- names --- */

/* Returns which of count values is chosen. */
static uint32_t fold_choose(fold *f, uint32_t key, uint32_t count)
{
    for (unsigned i = 0; i < f->choice_count; i++)
        if (f->choices[i].key == key)
            return f->choices[i].index;
    if (f->choice_count == MAX_CHOICES)
        return count; /* none */
    f->choices[f->choice_count++] = (fold_choice){key, 0, count};
    return 0;
}

/* Moves to the next choices. false: all were made. */
static bool fold_choose_next(fold *f)
{
    while (f->choice_count) {
        fold_choice *last = &f->choices[f->choice_count - 1];
        if (++last->index < last->count)
            return true;
        f->choice_count--;
    }
    return false;
}

/* Chooses an item of an array for the expression `key`. */
static fold_value fold_each(fold *f, fold_value array, uint32_t key)
{
    uint32_t count = fold_count(f, array);
    uint32_t index = count ? fold_choose(f, key, count) : 0;
    return index < count ? fold_item(f, array, index) : fold_unknown;
}

static fold_value fold_counted(fold *f, const cw_script_binding *binding)
{
    size_t start = f->text.size;
    fold_value bound = fold_operand(f, binding->stop, CW_SCRIPT_NO_TOKEN);
    uint64_t last = bound.kind == FOLD_NUMBER ? fold_number(f, start) + binding->nth : 0;
    uint64_t first;
    fold_cut(f, start);
    if (!cw_script_take_number(&f->scope, binding->value, &first) || last <= first || last - first > MAX_VALUES)
        return fold_unknown;
    uint32_t index = fold_choose(f, binding->value, (uint32_t)(last - first));
    return index < last - first ? fold_append_number(f, first + index) : fold_unknown;
}

static fold_value fold_items(fold *f, const cw_script_binding *binding)
{
    size_t start = f->text.size;
    fold_value items = fold_operand(f, binding->value, binding->stop);
    bool is_whole = f->next == binding->stop;
    fold_cut(f, start);
    if (binding->bound == CW_SCRIPT_KEY_OF)
        items.kind = items.kind == FOLD_OBJECT ? FOLD_KEYS : FOLD_UNKNOWN;
    return is_whole ? fold_each(f, items, binding->value) : fold_unknown;
}

static fold_value fold_name(fold *f, uint32_t i)
{
    const cw_script_binding *found = cw_script_resolve(&f->scope, i);
    if (!found)
        return fold_unknown;
    cw_script_binding binding = *found;
    if (binding.bound == CW_SCRIPT_COUNTED)
        return fold_counted(f, &binding);
    fold_value value = binding.bound == CW_SCRIPT_VALUE_OF ? fold_sum(f, binding.value) : fold_items(f, &binding);
    if (binding.member)
        return fold_member(f, value, cw_script_text(&f->scope, binding.member));
    return binding.nth ? fold_item(f, value, binding.nth - 1) : value;
}

/* --- operands --- */

static fold_value fold_template(fold *f, uint32_t i)
{
    const cw_script_scope *s = &f->scope;
    uint32_t close = s->tokens.list[i].extent;
    fold_value text = fold_append(f, (crawl_slice){0}, false);
    for (i++; i < close && fold_is_text(text); i = cw_script_behind(s, i)) {
        size_t start = f->text.size;
        if (cw_script_kind(s, i) == CW_SCRIPT_STRING) {
            text = fold_append(f, cw_script_text(s, i), true);
            continue;
        }
        fold_value inserted = fold_sum(f, i + 1);
        if (f->next != s->tokens.list[i].extent)
            inserted.kind = FOLD_UNKNOWN;
        fold_make_text(f, start, &inserted);
    }
    return text;
}

/* Takes Object.keys(x), Object.values(x) or Object.entries(x), whose words begin at i. */
static fold_value fold_of_object(fold *f, uint32_t i)
{
    const cw_script_scope *s = &f->scope;
    fold_value value = fold_sum(f, i + 4);
    bool is_whole = f->next == s->tokens.list[i + 3].extent && value.kind == FOLD_OBJECT;
    value.kind = !is_whole                                ? FOLD_UNKNOWN
                 : cw_script_is_word(s, i + 2, "keys")    ? FOLD_KEYS
                 : cw_script_is_word(s, i + 2, "values")  ? FOLD_VALUES
                 : cw_script_is_word(s, i + 2, "entries") ? FOLD_ENTRIES
                                                          : FOLD_UNKNOWN;
    return value;
}

static fold_value fold_parentheses(fold *f, uint32_t i)
{
    fold_value value = fold_sum(f, i + 1);
    return f->next == f->scope.tokens.list[i].extent ? value : fold_unknown;
}

/* Returns the value of an operand without its members; *behind is the token behind it. */
static fold_value fold_primary(fold *f, uint32_t i, uint32_t *behind)
{
    const cw_script_scope *s = &f->scope;
    uint64_t number;
    *behind = cw_script_behind(s, i);
    switch (cw_script_kind(s, i)) {
    case CW_SCRIPT_STRING:
        return fold_append(f, cw_script_text(s, i), true);
    case CW_SCRIPT_NUMBER:
        return cw_script_take_number(s, i, &number) ? fold_append_number(f, number) : fold_unknown;
    case CW_SCRIPT_TEMPLATE:
        return fold_template(f, i);
    case '(':
        return fold_parentheses(f, i);
    case '[':
        return (fold_value){FOLD_ARRAY, i};
    case '{':
        return (fold_value){FOLD_OBJECT, i};
    case CW_SCRIPT_WORD:
        if (cw_script_is_word(s, i, "Object") && cw_script_kind(s, i + 1) == '.' && cw_script_kind(s, i + 3) == '(') {
            *behind = cw_script_behind(s, i + 3);
            return fold_of_object(f, i);
        }
        return fold_name(f, i);
    default:
        return fold_unknown;
    }
}

/* Appends the items of an array, with the argument of the call that opens at `call` between them. */
static fold_value fold_join(fold *f, fold_value array, uint32_t call)
{
    bool has_argument = call + 1 < f->scope.tokens.list[call].extent;
    uint32_t count = fold_count(f, array);
    fold_value text = fold_append(f, (crawl_slice){0}, false);
    for (uint32_t i = 0; i < count && f->scope.fuel > 0; i++) {
        size_t start = f->text.size;
        fold_value between = {FOLD_TEXT, 0};
        if (i)
            between = has_argument ? fold_sum(f, call + 1) : fold_append(f, crawl_slice_from(","), false);
        fold_make_text(f, start, &between);
        start = f->text.size;
        fold_value item = fold_item(f, array, i);
        fold_make_text(f, start, &item);
    }
    return count && count < MAX_VALUES ? text : fold_unknown;
}

/* Appends the arguments of "a".concat(b, c). */
static fold_value fold_concat(fold *f, uint32_t call)
{
    uint32_t close = f->scope.tokens.list[call].extent;
    for (uint32_t i = call + 1; i < close; i = cw_script_behind_comma(&f->scope, i, close)) {
        size_t start = f->text.size;
        fold_value argument = fold_sum(f, i);
        fold_make_text(f, start, &argument);
    }
    return (fold_value){FOLD_TEXT, 0};
}

/* Takes .name or .name(...) at i. */
static fold_value fold_named_member(fold *f, fold_value value, uint32_t i, uint32_t *behind)
{
    const cw_script_scope *s = &f->scope;
    bool is_call = cw_script_kind(s, i + 2) == '(', is_word = cw_script_kind(s, i + 1) == CW_SCRIPT_WORD;
    *behind = is_call ? cw_script_behind(s, i + 2) : i + 2;
    if (is_call && fold_is_array(value) && cw_script_is_word(s, i + 1, "join"))
        return fold_join(f, value, i + 2);
    if (is_call && value.kind == FOLD_TEXT && cw_script_is_word(s, i + 1, "concat"))
        return fold_concat(f, i + 2);
    if (is_call || !is_word)
        return fold_unknown;
    if (fold_is_array(value) && cw_script_is_word(s, i + 1, "length")) {
        uint32_t count = fold_count(f, value);
        return count ? fold_append_number(f, count) : fold_unknown;
    }
    return fold_member(f, value, cw_script_text(s, i + 1));
}

/* Chooses an item or a member for the unknown index in the bracket at i. A second such index of an expression may
 * depend on the first: its item stays unknown. */
static fold_value fold_any(fold *f, fold_value value, uint32_t i)
{
    value.kind = value.kind == FOLD_OBJECT ? FOLD_VALUES : value.kind;
    f->indexed = f->indexed ? f->indexed : i;
    return f->indexed == i ? fold_each(f, value, i) : fold_unknown;
}

/* Takes [index] or ["key"] at i. */
static fold_value fold_index(fold *f, fold_value value, uint32_t i)
{
    const cw_script_scope *s = &f->scope;
    size_t start = f->text.size;
    bool is_key = cw_script_kind(s, i + 1) == CW_SCRIPT_STRING && i + 2 == s->tokens.list[i].extent;
    if (is_key)
        return fold_member(f, value, cw_script_text(s, i + 1));
    fold_value index = fold_sum(f, i + 1);
    uint64_t number = index.kind == FOLD_NUMBER ? fold_number(f, start) : UINT64_MAX;
    fold_cut(f, start);
    if (index.kind == FOLD_UNKNOWN)
        return fold_any(f, value, i);
    return number < MAX_VALUES ? fold_item(f, value, number) : fold_unknown;
}

/* Evaluates an operand with its members, up to the token `stop` at most. */
static fold_value fold_operand(fold *f, uint32_t i, uint32_t stop)
{
    cw_script_scope *s = &f->scope;
    size_t start = f->text.size;
    fold_value value = fold_unknown;
    uint32_t behind = cw_script_behind(s, i);
    bool is_read = cw_script_spend(s, 1) && f->depth < MAX_DEPTH;
    f->depth++;
    if (is_read)
        value = fold_primary(f, i, &behind);
    for (uint32_t next; behind < stop && (next = cw_script_behind_member(s, behind)) != 0;) {
        i = behind;
        behind = next;
        if (value.kind == FOLD_UNKNOWN)
            continue;
        if (cw_script_kind(s, i) == '.')
            value = fold_named_member(f, value, i, &behind);
        else
            value = cw_script_kind(s, i) == '[' ? fold_index(f, value, i) : fold_unknown;
    }
    f->depth--;
    f->next = behind;
    if (!fold_is_text(value))
        fold_cut(f, start);
    return value;
}

/* Evaluates operands joined by "+", up to where an expression may end. */
static fold_value fold_sum(fold *f, uint32_t i)
{
    cw_script_scope *s = &f->scope;
    size_t start = f->text.size;
    fold_value sum = fold_operand(f, i, CW_SCRIPT_NO_TOKEN);
    while (cw_script_kind(s, f->next) == '+' && s->fuel > 0) {
        fold_make_text(f, start, &sum);
        size_t middle = f->text.size;
        fold_value more = fold_operand(f, f->next + 1, CW_SCRIPT_NO_TOKEN);
        fold_make_text(f, middle, &more);
        if (sum.kind == FOLD_NUMBER && more.kind == FOLD_NUMBER) {
            uint64_t number = fold_number(f, start) + fold_number(f, middle);
            fold_cut(f, start);
            sum = fold_append_number(f, number);
        } else {
            sum.kind = FOLD_TEXT;
        }
    }
    bool ends = !cw_script_kind(s, f->next) || cw_script_is_any(s, f->next, ",;)]}:w");
    return ends && s->fuel > 0 ? sum : fold_unknown;
}

/* --- expressions --- */

/* Returns true if a name is that of a URL. */
static bool fold_is_url_name(const cw_script_string *string)
{
    return string->how != CW_SCRIPT_ALONE && (cw_script_name_of(string->name, string->how) >= 0 ||
                                              cw_is(string->name, "src") || cw_is(string->name, "import"));
}

/* Returns true if an operand begins at i whose value is more than a literal: joined with others, or that of a constant
 * where a URL is expected. */
static bool fold_is_wanted(fold *f, uint32_t i)
{
    cw_script_scope *s = &f->scope;
    if (!cw_script_is(s, i, CW_SCRIPT_MAY_JOIN) || !cw_script_begins_operand(s, i))
        return false;
    char kind = cw_script_kind(s, i);
    uint32_t behind = cw_script_behind(s, i);
    if (kind == CW_SCRIPT_WORD) {
        cw_script_string string = {.how = CW_SCRIPT_ALONE};
        cw_script_find_name(s, i, &string);
        return fold_is_url_name(&string) || cw_script_kind(s, cw_script_behind_operand(s, i)) == '+';
    }
    bool is_template = kind == CW_SCRIPT_TEMPLATE && behind > i + 3 && cw_script_kind(s, behind) != '.';
    return is_template || cw_script_is_any(s, behind, "+.");
}

/* Gives each value of the expression at i. Returns the token at which to go on. */
static uint32_t fold_take(fold *f, uint32_t i, const cw_script_fold_to *to)
{
    cw_script_string string = {.how = CW_SCRIPT_ALONE, .is_part = cw_script_is_inside_text(&f->scope)};
    bool is_known = true, is_part = string.is_part;
    cw_script_find_name(&f->scope, i, &string);
    f->choice_count = 0;
    f->indexed = 0;
    for (unsigned values = 0; values < MAX_VALUES && !f->scope.err; values++) {
        crawl_buf_clear(&f->text);
        fold_value value = fold_sum(f, i);
        string.raw = crawl_slice_of(f->text.data, f->text.size);
        bool is_whole = value.kind == FOLD_TEXT && !memchr(f->text.data, CW_SCRIPT_UNKNOWN, f->text.size);
        string.is_part = is_part || !is_whole;
        is_known &= is_whole;
        if (value.kind == FOLD_TEXT && !f->scope.err)
            f->scope.err = to->folded(to->user, &string);
        if (!fold_choose_next(f))
            break;
    }
    return is_known && f->next > i ? f->next : i + 1;
}

crawl_err cw_script_fold(crawl_slice text, const cw_script_fold_to *to)
{
    fold f = {0};
    f.scope.err = cw_script_scope_open(&f.scope, text);
    for (uint32_t i = 0; i < f.scope.tokens.count && !f.scope.err && f.scope.fuel > 0;) {
        uint32_t next = i + 1;
        if (fold_is_wanted(&f, i))
            next = fold_take(&f, i, to);
        for (; i < next; i++)
            cw_script_scope_visit(&f.scope, i);
    }
    crawl_err err = f.scope.err;
    cw_script_scope_close(&f.scope);
    crawl_buf_free(&f.text);
    return err;
}
