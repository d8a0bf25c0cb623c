/* Reads one rule, "SELECTOR -> WORDS". See extract_rule.h. */
#include "parse/extract/extract_rule.h"

#include "base/bytes.h"
#include "base/error.h"

#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARROW " -> "

/* ---- selectors ---- */

/* Returns the place of the arrow outside quotes; text.size: there is none. */
static size_t find_arrow(crawl_slice text)
{
    char quote = '\0';
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? '\0' : c;
        else if (!quote && cw_starts_with(cw_drop(text, i), ARROW))
            return i;
    }
    return text.size;
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *xpath_error;
#else
typedef xmlErrorPtr xpath_error;
#endif

/* int1 of an XPath error is the offset in the expression; the error has no message. */
static void extract_rule_on_error(void *user, xpath_error error)
{
    int *place = user;
    if (!*place)
        *place = error->int1 + 1;
}

static bool extract_rule_is_name_char(char c)
{
    return cw_is_alnum((unsigned char)c) || (unsigned char)c >= 0x80 || c == '_' || c == '-' || c == '.';
}

/* Returns the size of the name at the front; 0: none. */
static size_t extract_rule_name_size(const char *at)
{
    size_t size = 0;
    if (cw_is_digit((unsigned char)*at) || *at == '-' || *at == '.')
        return 0;
    while (extract_rule_is_name_char(at[size]))
        size++;
    return size;
}

/* Returns true if a name before "(" is that of a function of XPath 1.0, a type of nodes or an operator. */
static bool extract_rule_calls(xmlXPathContext *context, crawl_slice name)
{
    static const char *const others[] = {"node", "text", "comment", "processing-instruction",
                                         "and",  "or",   "div",     "mod"};
    char function[32];
    snprintf(function, sizeof function, "%.*s", (int)name.size, name.data);
    return cw_is_among(name, others, sizeof others / sizeof *others) ||
           xmlXPathFunctionLookup(context, BAD_CAST function) != NULL;
}

/* Evaluation would only fail where it meets an unknown name, and find nothing. */
static crawl_err extract_rule_check_names(xmlXPathContext *context, const char *xpath, crawl_error *error)
{
    for (const char *at = xpath; *at;) {
        crawl_slice name = crawl_slice_of(at, extract_rule_name_size(at));
        const char *after = at + name.size;
        int column = (int)(at - xpath) + 1;
        if (*at == '$')
            return crawl_error_set(error, CRAWL_EPARSE, "column %d: there are no variables", column);
        if (name.size && after[0] == ':' && after[1] != ':' && !cw_is(name, "xml"))
            return crawl_error_set(error, CRAWL_EPARSE, "column %d: no namespace has the prefix %.*s", column,
                                   (int)name.size, name.data);
        if (name.size && after[strspn(after, " \t\r\n")] == '(' && !extract_rule_calls(context, name))
            return crawl_error_set(error, CRAWL_EPARSE, "column %d: XPath 1.0 has no function %.*s()", column,
                                   (int)name.size, name.data);
        const char *quote = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : NULL;
        at = quote ? quote + 1 : after + !name.size;
    }
    return CRAWL_OK;
}

static crawl_err check_xpath(const char *xpath, crawl_error *error)
{
    int place = 0;
    xmlXPathContext *context = xmlXPathNewContext(NULL);
    if (!context)
        return cw_error(error, CRAWL_ENOMEM);
    context->error = extract_rule_on_error;
    context->userData = &place;
    xmlXPathCompExpr *compiled = xmlXPathCtxtCompile(context, BAD_CAST xpath);
    crawl_err err = compiled ? extract_rule_check_names(context, xpath, error)
                             : crawl_error_set(error, CRAWL_EPARSE, "column %d: not XPath 1.0", place > 0 ? place : 1);
    xmlXPathFreeCompExpr(compiled);
    xmlXPathFreeContext(context);
    return err;
}

static bool looks_like_xpath(crawl_slice text)
{
    return cw_starts_with(text, "/") || cw_starts_with(text, "./") || cw_starts_with(text, "../") ||
           cw_starts_with(text, "(");
}

static crawl_err extract_rule_read_selector(crawl_slice text, cw_extract_rule *rule, crawl_error *error)
{
    crawl_buf xpath = {0};
    bool is_xpath = cw_take_text(&text, "xpath:");
    if (!is_xpath && !cw_take_text(&text, "css:"))
        is_xpath = looks_like_xpath(text);
    text = cw_trim(text);
    crawl_err err = is_xpath ? crawl_buf_append(&xpath, text.data, text.size) : crawl_select_xpath(text, &xpath, error);
    if (!err && is_xpath)
        err = text.size ? check_xpath(xpath.data, error)
                        : crawl_error_set(error, CRAWL_EPARSE, "the selector is missing");
    rule->xpath = xpath.data;
    return err;
}

/* ---- words ---- */

crawl_err cw_extract_pattern(crawl_slice text, pcre2_code **out, crawl_error *error)
{
    int code;
    size_t at;
    char words[256];
    *out = pcre2_compile((PCRE2_SPTR)text.data, text.size, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    if (*out) {
        pcre2_jit_compile(*out, PCRE2_JIT_COMPLETE); /* without it the interpreter matches the same */
        return CRAWL_OK;
    }
    pcre2_get_error_message(code, (PCRE2_UCHAR *)words, sizeof words);
    return crawl_error_set(error, CRAWL_EPARSE, "the pattern \"%.*s\": %s at its byte %zu", (int)text.size, text.data,
                           words, at + 1);
}

static const struct {
    const char *word;
    cw_extract_source source;
} sources[] = {{"text", CW_EXTRACT_TEXT}, {"string", CW_EXTRACT_STRING}, {"html", CW_EXTRACT_HTML}};

static const struct {
    const char *word;
    cw_extract_form form;
} forms[] = {{"number", CW_EXTRACT_NUMBER}, {"date", CW_EXTRACT_DATE}, {"url", CW_EXTRACT_URL}};

static crawl_err set_attribute(crawl_slice name, cw_extract_rule *rule)
{
    rule->source = CW_EXTRACT_ATTRIBUTE;
    rule->attribute = malloc(name.size + 1);
    if (!rule->attribute)
        return CRAWL_ENOMEM;
    cw_copy_lower(rule->attribute, name);
    return CRAWL_OK;
}

/* *known: the word selects a source or a form. */
static crawl_err take_source(crawl_slice word, cw_extract_rule *rule, bool *known, crawl_error *error)
{
    bool had_source = rule->source != CW_EXTRACT_DEFAULT;
    bool had_form = rule->form != CW_EXTRACT_AS_IT_IS;
    bool is_source = word.size > 1 && word.data[0] == '@';
    bool is_form = false;
    crawl_err err = is_source && !had_source ? set_attribute(cw_drop(word, 1), rule) : CRAWL_OK;
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !is_source; i++) {
        is_source = cw_is(word, sources[i].word);
        rule->source = is_source && !had_source ? sources[i].source : rule->source;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !is_form; i++) {
        is_form = cw_is(word, forms[i].word);
        rule->form = is_form ? forms[i].form : rule->form;
    }
    *known = is_source || is_form;
    if ((is_source && had_source) || (is_form && had_form))
        return crawl_error_set(error, CRAWL_EPARSE, "\"%.*s\": another word already says what to take", (int)word.size,
                               word.data);
    return err;
}

/* rest: the text after the word; a pattern takes all of it. */
static crawl_err extract_rule_take_word(crawl_slice word, crawl_slice *rest, cw_extract_rule *rule, crawl_error *error)
{
    bool known = true;
    if (cw_is(word, "regex")) {
        crawl_slice pattern = cw_trim(*rest);
        *rest = (crawl_slice){0};
        return pattern.size ? cw_extract_pattern(pattern, &rule->regex, error)
                            : crawl_error_set(error, CRAWL_EPARSE, "the pattern after \"regex\" is missing");
    }
    if (cw_is(word, "all"))
        rule->is_all = true;
    else if (cw_is(word, "required"))
        rule->is_required = true;
    else if (cw_is(word, "group"))
        rule->is_group = true;
    else {
        crawl_err err = take_source(word, rule, &known, error);
        if (err)
            return err;
    }
    return known ? CRAWL_OK
                 : crawl_error_set(error, CRAWL_EPARSE,
                                   "unknown word \"%.*s\" after \"->\"; known are text, string, html, @ATTRIBUTE, "
                                   "number, date, url, all, required, group, and regex RE at the end",
                                   (int)word.size, word.data);
}

crawl_err cw_extract_rule_read(crawl_slice text, cw_extract_rule *rule, crawl_error *error)
{
    text = cw_trim(text);
    crawl_slice selector = cw_take(&text, find_arrow(text));
    if (text.size)
        text = cw_drop(text, sizeof ARROW - 1);
    crawl_err err = extract_rule_read_selector(cw_trim(selector), rule, error);
    for (crawl_slice word = cw_take_word(&text, false); !err && word.size; word = cw_take_word(&text, false))
        err = extract_rule_take_word(word, &text, rule, error);
    bool takes = rule->source != CW_EXTRACT_DEFAULT || rule->form || rule->regex || rule->is_all;
    if (!err && rule->is_group && takes)
        return crawl_error_set(error, CRAWL_EPARSE,
                               "a group takes no value itself: only \"required\" may stand "
                               "beside it");
    return err;
}

void cw_extract_rule_free(cw_extract_rule *rule)
{
    free(rule->name);
    free(rule->xpath);
    free(rule->attribute);
    pcre2_code_free(rule->regex);
}
