/* The URLs of a style sheet: one pass over its tokens, which knows only as much of the grammar (CSS Syntax 3, section
 * 5) as decides whether a URL is requested: the brackets around it, and whether it belongs to a declaration or to what
 * precedes the "{" of a rule. No rule is built and no property is known by name. See <crawl/css.h>. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/charset/charset.h"
#include "parse/css/css_token.h"

#include <crawl/css.h>
#include <crawl/links.h>

/* Nested brackets that are tracked, against a sheet of nothing but brackets; deeper contents are read as if they were
 * on this level. Sheets have ten. */
#define MAX_DEPTH 256u

/* A function whose string is a URL. */
typedef enum css_function {
    NO_FUNCTION,
    URL,      /* url() and src(): if the string comes first */
    IMAGE_SET /* each string directly in it (CSS Images 4, 2.4) */
} css_function;

/* The rule being read, up to the next "{" or ";". */
typedef enum css_prelude {
    NO_PRELUDE,
    IMPORT, /* after "@import": a URL comes next */
    FONT_FACE,
    OTHER_RULE, /* any other rule that begins with "@" */
    SELECTOR    /* text outside all blocks that does not begin with "@": it ends only at a "{" */
} css_prelude;

/* An open bracket, or the text around all. */
typedef struct css_frame {
    char close;
    bool declares; /* a "{" is open around it */
    bool font;     /* that of @font-face */
    css_function function;
    css_prelude prelude;
} css_frame;

typedef struct css_search {
    css_frame frames[MAX_DEPTH]; /* the innermost last */
    unsigned depth;              /* index of the innermost */
    bool begun;                  /* a rule was seen, after which nothing can be imported */
    const char *start;
    crawl_buf decoded;
    crawl_css_found found;
    void *user;
} css_search;

static css_frame *inner(css_search *s)
{
    return &s->frames[s->depth];
}

/* --- reporting --- */

/* Returns true if this URL causes a request. A lone fragment is a part of the page itself (CSS Values 4, 4.5.1), and an
 * empty URL does not count (4.5.2). */
static bool is_asked(crawl_slice url)
{
    url = cw_trim(url);
    return url.size && *url.data != '#' && !cw_starts_nocase(url, "data:");
}

/* Reports a URL at this place in the source with this content. */
static crawl_err css_urls_tell(css_search *s, crawl_css_kind kind, crawl_slice source, crawl_slice content, bool string)
{
    crawl_err err = CRAWL_OK;
    if (cw_css_is_coded(content)) {
        crawl_buf_clear(&s->decoded);
        err = cw_css_decode_name(content, string, &s->decoded);
        content = crawl_buf_slice(&s->decoded);
    }
    if (err || !is_asked(content))
        return err;
    crawl_css_url url = {content, kind, (size_t)(source.data - s->start), source.size};
    return s->found(s->user, &url);
}

/* Determines the kind of a URL in the innermost bracket. false: it causes no request. */
static bool kind_here(css_search *s, crawl_css_kind *kind)
{
    const css_frame *here = inner(s);
    if (here->prelude == IMPORT)
        *kind = CRAWL_CSS_IMPORT;
    else
        *kind = here->font ? CRAWL_CSS_FONT : CRAWL_CSS_IMAGE;
    return here->prelude == IMPORT || (here->declares && here->prelude == NO_PRELUDE);
}

static crawl_err css_urls_take_string(css_search *s, const cw_css_token *token)
{
    css_frame *here = inner(s);
    crawl_css_kind kind;
    bool is_url = here->function != NO_FUNCTION || here->prelude == IMPORT;
    return is_url && kind_here(s, &kind) ? css_urls_tell(s, kind, token->raw, token->name, true) : CRAWL_OK;
}

static crawl_err css_take_url(css_search *s, const cw_css_token *token)
{
    crawl_css_kind kind;
    return kind_here(s, &kind) ? css_urls_tell(s, kind, token->name, token->name, false) : CRAWL_OK;
}

/* --- brackets --- */

static void css_urls_open(css_search *s, char close, css_function function)
{
    if (s->depth + 1 == MAX_DEPTH)
        return;
    css_frame outer = *inner(s);
    s->frames[++s->depth] = (css_frame){close, outer.declares, outer.font, function, outer.prelude};
}

/* Opens a block, which contains declarations. */
static void open_block(css_search *s)
{
    css_frame *outer = inner(s);
    bool font = outer->font || outer->prelude == FONT_FACE;
    s->begun = true;
    outer->prelude = NO_PRELUDE;
    css_urls_open(s, '}', NO_FUNCTION);
    inner(s)->declares = true;
    inner(s)->font = font;
}

static void css_urls_take_open(css_search *s, char bracket)
{
    if (bracket == '{')
        open_block(s);
    else
        css_urls_open(s, bracket == '(' ? ')' : ']', NO_FUNCTION);
}

/* A bracket that closes none belongs to the text around it. */
static void take_close(css_search *s, char bracket)
{
    if (s->depth && inner(s)->close == bracket)
        s->depth--;
}

static void take_function(css_search *s, crawl_slice name)
{
    css_function function = NO_FUNCTION;
    if (cw_css_is_named(name, "url") || cw_css_is_named(name, "src"))
        function = URL;
    else if (cw_css_is_named(name, "image-set") || cw_css_is_named(name, "-webkit-image-set"))
        function = IMAGE_SET;
    css_urls_open(s, ')', function);
    if (function != URL && inner(s)->prelude == IMPORT)
        inner(s)->prelude = OTHER_RULE;
}

/* --- rules --- */

/* Takes the rule that an at-keyword begins. An @import counts outside all blocks, before any other rule but @charset
 * and @layer without a block (CSS Cascade 5, 3.1). */
static void take_keyword(css_search *s, crawl_slice name)
{
    css_frame *here = inner(s);
    if (here->prelude == SELECTOR)
        return;
    here->prelude = OTHER_RULE;
    if (cw_css_is_named(name, "import"))
        here->prelude = s->begun || s->depth || here->declares ? OTHER_RULE : IMPORT;
    else if (cw_css_is_named(name, "font-face"))
        here->prelude = FONT_FACE;
    else if (cw_css_is_named(name, "namespace"))
        s->begun = true;
}

static void end_statement(css_search *s)
{
    css_frame *here = inner(s);
    if (here->prelude != SELECTOR)
        here->prelude = NO_PRELUDE;
}

static crawl_err css_urls_take_token(css_search *s, const cw_css_token *token)
{
    switch (token->type) {
    case CW_CSS_AT_KEYWORD:
        take_keyword(s, token->name);
        return CRAWL_OK;
    case CW_CSS_SEMICOLON:
        end_statement(s);
        return CRAWL_OK;
    case CW_CSS_OPEN:
        css_urls_take_open(s, *token->raw.data);
        return CRAWL_OK;
    case CW_CSS_CLOSE:
        take_close(s, *token->raw.data);
        return CRAWL_OK;
    case CW_CSS_FUNCTION:
        take_function(s, token->name);
        return CRAWL_OK;
    case CW_CSS_STRING:
        return css_urls_take_string(s, token);
    case CW_CSS_URL:
        return css_take_url(s, token);
    default:
        return CRAWL_OK;
    }
}

/* Handles cases that only the first following token decides: a URL after "@import", a string after "url(", and whether
 * a rule begins with a selector. */
static crawl_err css_urls_take_first(css_search *s, const cw_css_token *token)
{
    css_frame *here = inner(s);
    const css_frame before = *here;
    if (!here->declares && !s->depth && here->prelude == NO_PRELUDE && token->type != CW_CSS_AT_KEYWORD)
        here->prelude = SELECTOR;
    crawl_err err = css_urls_take_token(s, token);
    if (before.prelude == IMPORT && here->prelude == IMPORT)
        here->prelude = OTHER_RULE;
    if (before.function == URL)
        here->function = NO_FUNCTION;
    return err;
}

crawl_err crawl_css_urls(crawl_slice css, crawl_css_form form, crawl_css_found found, void *user)
{
    if (!css.size)
        return CRAWL_OK;
    css_search s = {.start = css.data, .found = found, .user = user};
    s.frames[0].declares = form == CRAWL_CSS_DECLARATIONS;
    cw_css_scanner scanner = {css.data, css.data + css.size};
    crawl_err err = CRAWL_OK;
    for (cw_css_token token; !err && cw_css_next(&scanner, &token);)
        if (token.type != CW_CSS_WHITESPACE && token.type != CW_CSS_CDO && token.type != CW_CSS_CDC)
            err = css_urls_take_first(&s, &token);
    crawl_buf_free(&s.decoded);
    return err;
}

/* --- writing --- */

/* Appends a character of a string, escaped if necessary. */
static crawl_err quote_byte(char c, crawl_buf *out)
{
    if (c == '\0')
        return crawl_buf_append_text(out, CW_UTF8_REPLACEMENT_TEXT);
    if ((unsigned char)c < ' ' || c == 0x7f)
        return crawl_buf_printf(out, "\\%x ", (unsigned)c);
    crawl_err err = c == '"' || c == '\\' ? crawl_buf_append_char(out, '\\') : CRAWL_OK;
    return err ? err : crawl_buf_append_char(out, c);
}

crawl_err crawl_css_quote(crawl_slice url, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_char(out, '"');
    for (size_t i = 0; i < url.size && !err; i++)
        err = quote_byte(url.data[i], out);
    return err ? err : crawl_buf_append_char(out, '"');
}

/* The encoding of a style sheet's file, and its text. See <crawl/css.h>. */

/* An @charset must end within this many bytes (CSS Syntax 3.2). */
#define CHARSET_BYTES 1024u

/* Returns the encoding that a file declares with exactly these bytes, which are not read as CSS (3.2). */
static const char *css_charset_declared(crawl_slice bytes)
{
    bytes.size = bytes.size < CHARSET_BYTES ? bytes.size : CHARSET_BYTES;
    if (!cw_take_text(&bytes, "@charset \""))
        return NULL;
    crawl_slice label = cw_cut(&bytes, '"');
    const char *charset = cw_starts_with(bytes, ";") ? crawl_charset_name(label) : NULL;
    bool wide = charset && cw_starts_with(crawl_slice_from(charset), "utf-16");
    return wide ? "utf-8" : charset; /* a file in UTF-16 would not begin with these bytes */
}

const char *crawl_css_charset(crawl_slice bytes, const char *transport, const char *document)
{
    const char *charset = cw_charset_of_mark(bytes);
    if (!charset && transport)
        charset = crawl_charset_name(crawl_slice_from(transport));
    if (!charset)
        charset = css_charset_declared(bytes);
    if (!charset && document)
        charset = crawl_charset_name(crawl_slice_from(document));
    return charset ? charset : "utf-8";
}

crawl_err crawl_css_decode(crawl_slice bytes, const char *charset, crawl_buf *storage, crawl_slice *text)
{
    cw_charset_decoder decoder = {0};
    crawl_err err = cw_charset_decode(&decoder, charset, bytes, storage, text);
    cw_charset_decoder_close(&decoder);
    return err;
}
