/* The names of a script that are bound to constants, and where: declarations, loops over literals, callbacks of arrays.
 * Any other binding is known too, so that it hides these. */
#pragma once

#include "parse/script/script_token.h"

typedef enum cw_script_bound {
    CW_SCRIPT_HIDDEN, /* to something unknown */
    CW_SCRIPT_VALUE_OF,
    CW_SCRIPT_ITEM_OF, /* each item in turn */
    CW_SCRIPT_KEY_OF,  /* each key in turn */
    CW_SCRIPT_COUNTED
} cw_script_bound;

/* A binding of a name; its places are tokens. */
typedef struct cw_script_binding {
    uint32_t name;
    uint32_t from, to; /* where it holds */
    uint32_t block;    /* where it may be assigned, up to `to` */
    uint32_t value;    /* the expression. Counted: the first number */
    uint32_t stop;     /* behind it, for items and keys. Counted: the bound */
    uint32_t member;   /* destructured: the key; 0: none */
    uint32_t nth;      /* destructured: the item, from 1; 0: none. Counted: the bound is included */
    uint32_t before;   /* the previous binding in its chain */
    cw_script_bound bound;
    bool is_const;
    bool is_checked; /* it is never assigned */
} cw_script_binding;

typedef struct cw_script_scope {
    cw_script_tokens tokens;
    cw_script_binding *list;
    size_t count;
    size_t capacity;
    uint32_t *chains; /* by hash of the name: its last binding, plus one */
    uint32_t chain_mask;
    uint32_t around;        /* the innermost open bracket */
    uint32_t callback;      /* of the last x.map() or the like: the parameter, or the "(" before it */
    uint32_t receiver;      /* x, an operand... */
    uint32_t receiver_stop; /* ...and the token behind it */
    int64_t fuel;           /* steps that are left: a text made to take many must not */
    crawl_err err;
} cw_script_scope;

/* Returns the kind of a token; NUL: there is none. */
static inline char cw_script_kind(const cw_script_scope *s, uint32_t i)
{
    return i < s->tokens.count ? (char)s->tokens.list[i].kind : '\0';
}

/* Classes of kinds. */
enum {
    CW_SCRIPT_OPENS = 1,
    CW_SCRIPT_CLOSES = 2,
    CW_SCRIPT_CONTINUES = 4,  /* an operand: its members, indices, calls */
    CW_SCRIPT_ENDS_VALUE = 8, /* and words do, except keywords */
    CW_SCRIPT_MAY_JOIN = 16   /* begins what may be joined with others */
};
extern const uint8_t cw_script_classes[128];

static inline bool cw_script_is(const cw_script_scope *s, uint32_t i, unsigned classes)
{
    return cw_script_classes[cw_script_kind(s, i) & 127] & classes;
}

static inline bool cw_script_is_any(const cw_script_scope *s, uint32_t i, const char *kinds)
{
    char kind = cw_script_kind(s, i);
    return kind && strchr(kinds, kind);
}

/* Returns the bytes of a token that is no bracket. */
static inline crawl_slice cw_script_text(const cw_script_scope *s, uint32_t i)
{
    const cw_script_token *token = &s->tokens.list[i];
    return crawl_slice_of(s->tokens.text.data + token->at, token->extent);
}

/* Returns true for this word. */
bool cw_script_is_word(const cw_script_scope *s, uint32_t i, const char *word);

/* Takes a number of decimal digits alone, below 10^15. false: it is none such. */
bool cw_script_take_number(const cw_script_scope *s, uint32_t i, uint64_t *number);

/* Returns true if an operand begins here that is not a right one of "+". */
bool cw_script_begins_operand(const cw_script_scope *s, uint32_t i);

/* Returns the token behind a token, or behind the brackets that it opens. */
static inline uint32_t cw_script_behind(const cw_script_scope *s, uint32_t i)
{
    return 1 + (cw_script_is(s, i, CW_SCRIPT_OPENS) ? (uint32_t)s->tokens.list[i].extent : i);
}

/* Takes steps. false: there are none left. */
static inline bool cw_script_spend(cw_script_scope *s, int64_t steps)
{
    s->fuel -= steps;
    return s->fuel > 0;
}

/* Returns the token behind the member, index or call at i, by which an operand goes on. 0: there is none, or no step is
 * left. */
uint32_t cw_script_behind_member(cw_script_scope *s, uint32_t i);

/* Returns the token behind an operand with its members, indices and calls. */
uint32_t cw_script_behind_operand(cw_script_scope *s, uint32_t i);

/* Returns the first token behind the next "," or, if there is none before it, `close`. */
uint32_t cw_script_behind_comma(cw_script_scope *s, uint32_t i, uint32_t close);

/* Splits a text into tokens. CRAWL_ENOMEM. cw_script_scope_close is due either way. */
crawl_err cw_script_scope_open(cw_script_scope *s, crawl_slice text);
void cw_script_scope_close(cw_script_scope *s);

/* Takes the bindings that begin at a token. Give all tokens, in order. */
void cw_script_scope_visit(cw_script_scope *s, uint32_t i);

/* Returns the binding of the word at a token that was visited. NULL: its value is unknown. */
const cw_script_binding *cw_script_resolve(cw_script_scope *s, uint32_t i);

/* Sets the name and how of an expression at a token that is visited next, as cw_script_next does. */
void cw_script_find_name(const cw_script_scope *s, uint32_t i, cw_script_string *string);

/* Returns true if the contents of the innermost bracket are a part of a text: ("a" + b) + c, `${"a" + b}c`. */
bool cw_script_is_inside_text(const cw_script_scope *s);
