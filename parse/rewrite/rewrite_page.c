/* Pages: the attributes with URLs, and whatever prevents a page from being shown away from its server. */
#include "parse/rewrite/rewrite.h"

#include "base/bytes.h"
#include "base/text/escape.h"
#include "base/utf8.h"
#include "parse/html/html_reference.h"
#include "parse/html/html_walk.h"
#include "parse/page/page_values.h"
#include "parse/sitemap/doctype.h"

/* The attributes, of any element unless one is named. */
static const struct {
    const char *name;
    const char *element;
    cw_rewrite_form form;
} attributes[] = {
    {"href", NULL, CW_REWRITE_ONE},          {"src", NULL, CW_REWRITE_ONE},
    {"srcset", NULL, CW_REWRITE_SET},        {"style", NULL, CW_REWRITE_STYLE},
    {"xlink:href", NULL, CW_REWRITE_ONE},    {"action", NULL, CW_REWRITE_ONE},
    {"formaction", NULL, CW_REWRITE_ONE},    {"poster", NULL, CW_REWRITE_ONE},
    {"background", NULL, CW_REWRITE_ONE},    {"cite", NULL, CW_REWRITE_ONE},
    {"longdesc", NULL, CW_REWRITE_ONE},      {"imagesrcset", NULL, CW_REWRITE_SET},
    {"data", "object", CW_REWRITE_ONE},      {"srcdoc", "iframe", CW_REWRITE_PAGE},
    {"content", "meta", CW_REWRITE_REFRESH},
};

/* CSS properties that take URLs, as attributes of SVG (SVG 2, 6.6). */
static const char *const presentation[] = {
    "clip-path", "cursor", "fill", "filter", "marker-end", "marker-mid", "marker-start", "mask", "stroke",
};

/* A file has no origin to check these for, and a rewritten sheet has another hash. */
static const char *const checks[] = {"integrity", "crossorigin"};

enum {
    ATTRIBUTES = sizeof attributes / sizeof *attributes,
    PRESENTATION = sizeof presentation / sizeof *presentation,
    CHECKS = sizeof checks / sizeof *checks,
    INITIALS = 32
};

/* --- names that may matter: the first letter and the size rule out most attributes of a page --- */

typedef struct initials {
    uint32_t sizes[INITIALS]; /* of the names with a first letter, a bit for each */
} initials;

static void add_word_initial(initials *of, crawl_slice name)
{
    if (name.size && name.size < 32)
        of->sizes[(unsigned char)*name.data % INITIALS] |= 1u << name.size;
}

static void add_initial(initials *of, const char *name)
{
    add_word_initial(of, crawl_slice_from(name));
}

static void make_initials(initials *of, crawl_slice lazy)
{
    *of = (initials){0};
    while (lazy.size)
        add_word_initial(of, cw_cut(&lazy, ' '));
    for (size_t i = 0; i < ATTRIBUTES; i++)
        add_initial(of, attributes[i].name);
    for (size_t i = 0; i < PRESENTATION; i++)
        add_initial(of, presentation[i]);
    for (size_t i = 0; i < CHECKS; i++)
        add_initial(of, checks[i]);
    add_initial(of, "http-equiv");
}

static bool may_matter(const initials *of, crawl_slice name)
{
    return name.size < 32 && of->sizes[(unsigned char)*name.data % INITIALS] >> name.size & 1;
}

typedef struct element {
    crawl_slice name;
    crawl_slice lazy; /* names of attributes */
    const cw_html_attributes *attributes;
    const initials *initials;
    crawl_slice pragma; /* its first http-equiv */
    bool svg;
    bool checked; /* it has an attribute of checks */
} element;

static cw_rewrite_form form_of_lazy(crawl_slice name, crawl_slice value)
{
    static const cw_rewrite_form forms[] = {[CW_LAZY_NONE] = CW_REWRITE_NONE,
                                            [CW_LAZY_ONE] = CW_REWRITE_LAZY,
                                            [CW_LAZY_SET] = CW_REWRITE_SET,
                                            [CW_LAZY_DECLARATIONS] = CW_REWRITE_STYLE};
    return forms[cw_page_lazy_form_of(name, value)];
}

/* Returns true for a fragment that is a part of the page whatever the base (SVG 2, 16.1). A link leads to the base. */
static bool is_own_part(const element *e, crawl_slice value)
{
    return e->svg && cw_starts_with(cw_trim(value), "#") && !cw_is_nocase(e->name, "a");
}

static cw_rewrite_form form_of(const element *e, crawl_slice name, crawl_slice value)
{
    if (!may_matter(e->initials, name) || is_own_part(e, value))
        return CW_REWRITE_NONE;
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (cw_lower((unsigned char)name.data[0]) == (unsigned char)*attributes[i].name &&
            cw_is_nocase(name, attributes[i].name) &&
            (!attributes[i].element || cw_is_nocase(e->name, attributes[i].element)))
            return attributes[i].form;
    if (e->svg && cw_is_among(name, presentation, PRESENTATION))
        return CW_REWRITE_STYLE;
    return cw_has_word(e->lazy, name, false) ? form_of_lazy(name, value) : CW_REWRITE_NONE;
}

typedef struct written_attribute {
    crawl_slice name;
    crawl_slice value;
} written_attribute;

static bool rewrite_page_next_attribute(cw_html_cursor *rest, written_attribute *a)
{
    return cw_html_next_of(rest, &a->name, &a->value);
}

/* --- values --- */

/* Decodes a value to UTF-8 with its references decoded; *storage may hold it. */
static crawl_err rewrite_page_decode(cw_rewrite *r, crawl_slice raw, crawl_buf storage[2], crawl_slice *value)
{
    crawl_err err = CRAWL_OK;
    *value = raw;
    crawl_buf_clear(&storage[0]);
    crawl_buf_clear(&storage[1]);
    if (!r->is_utf8)
        err = cw_charset_decode(r->decoder, r->charset, raw, &storage[0], value);
    if (err || cw_html_is_literal(*value))
        return err;
    err = cw_html_decode(&storage[1], *value, CW_IN_ATTRIBUTE);
    *value = crawl_buf_slice(&storage[1]);
    return err;
}

/* Returns how many bytes of a value need no escape. */
static size_t rewrite_page_plain_run(const cw_rewrite *r, crawl_slice text)
{
    size_t size = 0;
    while (size < text.size && !cw_escape_html_of(text.data[size]) && (r->is_utf8 || !(text.data[size] & 0x80)))
        size++;
    return size;
}

/* Writes UTF-8 as a value between quotes of either kind; in a page of another encoding, everything else as
 * references. */
static void rewrite_page_put_value(cw_rewrite *r, crawl_slice text)
{
    const char *end = text.data + text.size;
    cw_put(&r->out, cw_take(&text, rewrite_page_plain_run(r, text)));
    while (text.size) {
        const char *reference = cw_escape_html_of(*text.data);
        cw_utf8 character = cw_utf8_next(text.data, end);
        if (reference)
            cw_put_text(&r->out, reference);
        else
            cw_put_format(&r->out, "&#%u;", (unsigned)character.code);
        text = cw_drop(text, character.size);
        cw_put(&r->out, cw_take(&text, rewrite_page_plain_run(r, text)));
    }
}

/* Keeps quotes; adds them to a value without any. */
static void replace_value(cw_rewrite *r, crawl_slice value, crawl_slice text)
{
    char before = value.data[-1];
    bool quoted = before == '"' || before == '\'';
    cw_rewrite_copy(r, value.data, value.data + value.size);
    cw_put_text(&r->out, quoted ? "" : "\"");
    rewrite_page_put_value(r, text);
    cw_put_text(&r->out, quoted ? "" : "\"");
}

/* Writes the new value of an attribute to out, which is empty; left empty: the value stays. */
static crawl_err rewrite_page_translate(cw_rewrite *r, cw_rewrite_form form, crawl_slice raw, crawl_buf *out)
{
    crawl_buf storage[2] = {{0}, {0}};
    crawl_slice value;
    if (raw.size > CRAWL_REWRITE_MAX_VALUE)
        return CRAWL_OK;
    crawl_err err = rewrite_page_decode(r, raw, storage, &value);
    if (!err)
        err = cw_rewrite_value(r, form, value, out);
    crawl_buf_free(&storage[0]);
    crawl_buf_free(&storage[1]);
    return err;
}

/* --- elements --- */

static bool is_refresh(const element *e)
{
    return cw_is_nocase(cw_trim(e->pragma), "refresh");
}

/* Returns true for an empty value that leads nowhere. An empty link leads to the base of the page, which may come
 * later, if it is in quotes, where another value can be put. */
static bool leads_nowhere(cw_rewrite *r, const element *e, const written_attribute *a)
{
    bool is_link = (cw_is_nocase(e->name, "a") || cw_is_nocase(e->name, "area")) && cw_is_nocase(a->name, "href");
    r->base_used = r->base_used || (is_link && !a->value.size);
    if (a->value.size || r->base_is_self || !is_link)
        return !a->value.size;
    return !a->value.data || !strchr("\"'", a->value.data[-1]);
}

/* Processes the attributes; writes: replaces values. Otherwise only found_local tells what would be done. */
static crawl_err rewrite_attributes(cw_rewrite *r, const element *e, bool writes)
{
    cw_html_cursor rest = cw_html_first_of(e->attributes);
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    for (written_attribute a; !err && rewrite_page_next_attribute(&rest, &a);) {
        cw_rewrite_form form = form_of(e, a.name, a.value);
        if (form == CW_REWRITE_NONE || (form == CW_REWRITE_REFRESH && !is_refresh(e)) || leads_nowhere(r, e, &a))
            continue;
        crawl_buf_clear(&text);
        err = rewrite_page_translate(r, form, a.value, &text);
        if (!err && text.size && writes)
            replace_value(r, a.value, crawl_buf_slice(&text));
    }
    crawl_buf_free(&text);
    return err;
}

/* Renames the attribute to one without a meaning. */
static void disarm(cw_rewrite *r, const written_attribute *a)
{
    cw_rewrite_copy(r, a->name.data, a->name.data);
    cw_put_text(&r->out, "data-");
}

/* --- <base>, policies, checks: these are rare, and have no other URL to rewrite but the checked one --- */

static crawl_err take_base(cw_rewrite *r, const element *e)
{
    cw_html_cursor rest = cw_html_first_of(e->attributes);
    for (written_attribute a; rewrite_page_next_attribute(&rest, &a);)
        if (cw_is_nocase(a.name, "href") && a.value.size)
            replace_value(r, a.value, (crawl_slice){0});
    return CRAWL_OK;
}

static bool is_policy(const element *e)
{
    static const char *const policies[] = {"content-security-policy", "content-security-policy-report-only"};
    return cw_is_nocase(e->name, "meta") && cw_is_among(cw_trim(e->pragma), policies, 2);
}

static bool rewrite_page_is_check(const written_attribute *a)
{
    return cw_is_among(a->name, checks, CHECKS);
}

/* Takes an element with checks, whose URL is examined first. */
static crawl_err take_checked(cw_rewrite *r, const element *e)
{
    r->found_local = false;
    crawl_err err = rewrite_attributes(r, e, false);
    bool is_local = r->found_local;
    cw_html_cursor rest = cw_html_first_of(e->attributes);
    for (written_attribute a; !err && rewrite_page_next_attribute(&rest, &a);) {
        const cw_html_attributes alone = {.count = 1, .split = {{a.name, a.value}}};
        element one = *e;
        one.attributes = &alone;
        if (is_local && rewrite_page_is_check(&a))
            disarm(r, &a);
        else
            err = rewrite_attributes(r, &one, true);
    }
    return err;
}

static crawl_err take_policy(cw_rewrite *r, const element *e)
{
    cw_html_cursor rest = cw_html_first_of(e->attributes);
    for (written_attribute a; rewrite_page_next_attribute(&rest, &a);)
        if (cw_is_nocase(a.name, "http-equiv"))
            disarm(r, &a);
    return CRAWL_OK;
}

static crawl_err rewrite_page_take_element(cw_rewrite *r, const element *e)
{
    if (cw_is_nocase(e->name, "base"))
        return take_base(r, e);
    if (is_policy(e))
        return take_policy(r, e);
    return e->checked ? take_checked(r, e) : rewrite_attributes(r, e, true);
}

/* --- the pass over a page --- */

typedef struct pass {
    cw_rewrite *r;
    const char *end; /* of the page */
    initials initials;
} pass;

/* Returns true if an attribute may matter; notes checks and the pragma on the way. */
static bool rewrite_page_look_at(element *e)
{
    bool matters = false;
    cw_html_cursor rest = cw_html_first_of(e->attributes);
    for (written_attribute a; rewrite_page_next_attribute(&rest, &a);) {
        if (!may_matter(e->initials, a.name))
            continue;
        matters = true;
        e->checked = e->checked || rewrite_page_is_check(&a);
        if (!e->pragma.data && cw_is_nocase(a.name, "http-equiv"))
            e->pragma = a.value;
    }
    return matters;
}

/* Writes the charset at the first place inside <head>: after its tag, or before the first one of another element. */
static void put_charset(cw_rewrite *r, const cw_html_token *token)
{
    crawl_slice name = token->tag.name;
    if (!r->owes_charset || cw_is_nocase(name, "html"))
        return;
    const char *at = cw_is_nocase(name, "head") ? token->end : name.data - 1;
    cw_rewrite_copy(r, at, at);
    cw_put_format(&r->out, "<meta charset=\"%s\">", r->charset);
    r->owes_charset = false;
}

/* Takes the text of <style>, which begins after its tag and cannot contain elements. */
static crawl_err take_style(const pass *w, const char *start)
{
    crawl_slice css = crawl_slice_of(start, (size_t)(w->end - start));
    size_t size = 0;
    while (size < css.size && !cw_starts_nocase(cw_drop(css, size), "</style"))
        size += 1 + cw_find_char(cw_drop(css, size + 1), '<');
    css.size = size < css.size ? size : css.size;
    bool is_data = cw_find_text(css, "<![CDATA[") < css.size;
    cw_rewrite_copy(w->r, start, start);
    return cw_rewrite_sheet(w->r, css, false, w->r->is_xml && !is_data);
}

/* The first <base> with a URL decides. CRAWL_ABSENT: URLs were read without it, and the page must be processed
 * again. */
static crawl_err rewrite_page_on_base(void *user, const cw_html_element *, const cw_html_values *values)
{
    const pass *w = user;
    crawl_buf storage[2] = {{0}, {0}};
    crawl_slice href = values->value[__builtin_ctz(CW_AT_HREF)];
    if (w->r->base_decided || !(values->found & CW_AT_HREF) || href.size > CW_HTML_MAX_RAW_VALUE)
        return CRAWL_OK;
    crawl_err err = rewrite_page_decode(w->r, href, storage, &href);
    if (!err)
        err = cw_rewrite_set_base(w->r, href);
    crawl_buf_free(&storage[0]);
    crawl_buf_free(&storage[1]);
    return err;
}

static crawl_err rewrite_page_on_tag(void *user, const cw_html_token *token)
{
    const pass *w = user;
    crawl_slice name = token->tag.name;
    element e = {.name = name,
                 .attributes = token->attributes,
                 .initials = &w->initials,
                 .lazy = crawl_slice_from(w->r->how->lazy ? w->r->how->lazy : ""),
                 .svg = token->svg};
    if (token->tag.closing || name.data < w->r->copied) /* in the text of a <style> of SVG, where tags could be */
        return CRAWL_OK;
    put_charset(w->r, token);
    crawl_err err = rewrite_page_look_at(&e) ? rewrite_page_take_element(w->r, &e) : CRAWL_OK;
    if (!err && cw_is_nocase(name, "style") && token->end[-2] != '/')
        err = take_style(w, token->end);
    return err ? err : w->r->out.err;
}

/* Rewrites the style sheets that an XML document names before its root element. */
static crawl_err rewrite_sheets(cw_rewrite *r, crawl_slice markup)
{
    crawl_buf text = {0};
    crawl_slice href;
    crawl_err err = CRAWL_OK;
    while (!err && cw_page_next_sheet(&markup, &href)) {
        crawl_buf_clear(&text);
        err = rewrite_page_translate(r, CW_REWRITE_ONE, href, &text);
        if (!err && text.size)
            replace_value(r, href, crawl_buf_slice(&text));
    }
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_rewrite_markup(cw_rewrite *r, crawl_slice markup)
{
    const char *end = markup.data + markup.size;
    pass w = {.r = r, .end = end};
    cw_html_every every = {.user = &w, .tag = rewrite_page_on_tag}; /* a <style> is found by its tag, in SVG too */
    uint32_t wanted = r->depth ? 0 : 1u << CW_ID_BASE;
    cw_html_visitor visitor = {
        .user = &w, .wanted = wanted, .xml = r->is_xml, .element = rewrite_page_on_base, .every = {&every}};
    crawl_slice lazy = crawl_slice_from(r->how->lazy ? r->how->lazy : "");
    make_initials(&w.initials, lazy);
    r->copied = markup.data;
    crawl_slice text = r->is_xml && markup.size ? cw_sitemap_behind_prolog(markup) : markup;
    crawl_err err = text.data > markup.data ? rewrite_sheets(r, markup) : CRAWL_OK;
    if (!err)
        err = cw_html_walk(text, &visitor);
    if (!err && markup.size)
        cw_rewrite_copy(r, end, end);
    return err ? err : r->out.err;
}
