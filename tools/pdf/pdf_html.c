#include "tools/pdf/pdf_text.h"

#include <string.h>

/* Lines that belong together, as one text. */
typedef struct html_paragraph {
    GString *text;
    GArray *spans; /* cw_pdf_span, with places in text */
    FILE *out;
} html_paragraph;

static const char *const html_schemes[] = {"https://", "http://", "www."};

/* --- URLs in the text --- */

/* Returns the scheme, or "www.", at this place. NULL: none. before: the preceding character, '\0' at the beginning. */
static const char *html_scheme_at(const char *at, char before)
{
    if (g_ascii_isalnum(before) || before == '/' || before == '.' || before == '@')
        return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(html_schemes); i++)
        if (g_ascii_strncasecmp(at, html_schemes[i], strlen(html_schemes[i])) == 0)
            return html_schemes[i];
    return NULL;
}

/* Returns how many bytes, at most `most`, belong to the URL at this place, without punctuation after it. */
static size_t html_url_size(const char *at, size_t most)
{
    size_t size = 0, open = 0, closed = 0;
    while (size < most && at[size] > ' ' && at[size] < 0x7f && !strchr("<>\"{}|\\^`", at[size]))
        size++;
    for (size_t i = 0; i < size; i++) {
        open += at[i] == '(';
        closed += at[i] == ')';
    }
    while (size && (strchr(".,;:!?'*]", at[size - 1]) || (at[size - 1] == ')' && closed > open)))
        closed -= at[--size] == ')';
    return size;
}

/* Returns true if the text ends within a URL that continues on the next line. */
static bool html_ends_in_url(const GString *text)
{
    const char *space = strrchr(text->str, ' ');
    const char *word = space ? space + 1 : text->str;
    for (const char *at = word; *at; at++)
        if (html_scheme_at(at, at > word ? at[-1] : '\0'))
            return strchr("/-_=&?%#+", text->str[text->len - 1]) != NULL;
    return false;
}

/* --- writing --- */

static void html_put(FILE *out, const char *text, size_t size)
{
    char *escaped = g_markup_escape_text(text, (gssize)size);
    fputs(escaped, out);
    g_free(escaped);
}

static void html_put_link(FILE *out, const char *before, const char *url, size_t url_size, const char *text,
                          size_t size)
{
    fprintf(out, "<a href=\"%s", before);
    html_put(out, url, url_size);
    fputs("\">", out);
    html_put(out, text, size);
    fputs("</a>", out);
}

/* Puts text without links, except for the URLs in it. */
static void html_put_plain(FILE *out, const char *text, size_t size)
{
    size_t from = 0;
    for (size_t at = 0; at < size;) {
        const char *scheme = html_scheme_at(text + at, at ? text[at - 1] : '\0');
        size_t url = scheme ? html_url_size(text + at, size - at) : 0;
        if (!scheme || url <= strlen(scheme)) {
            at++;
            continue;
        }
        html_put(out, text + from, at - from);
        html_put_link(out, strcmp(scheme, "www.") == 0 ? "http://" : "", text + at, url, text + at, url);
        from = at += url;
    }
    html_put(out, text + from, size - from);
}

static void html_end(html_paragraph *paragraph)
{
    size_t at = 0;
    if (!paragraph->text->len && !paragraph->spans->len)
        return;
    fputs("<p>", paragraph->out);
    for (guint i = 0; i < paragraph->spans->len; i++) {
        const cw_pdf_span *span = &g_array_index(paragraph->spans, cw_pdf_span, i);
        html_put_plain(paragraph->out, paragraph->text->str + at, span->at - at);
        html_put_link(paragraph->out, "", span->url, strlen(span->url), paragraph->text->str + span->at, span->size);
        at = span->at + span->size;
    }
    html_put_plain(paragraph->out, paragraph->text->str + at, paragraph->text->len - at);
    fputs("\n", paragraph->out);
    g_string_truncate(paragraph->text, 0);
    g_array_set_size(paragraph->spans, 0);
}

/* --- from lines to paragraphs --- */

static gunichar html_char_before(const GString *text, size_t at)
{
    return at ? g_utf8_get_char(g_utf8_prev_char(text->str + at)) : 0;
}

static bool html_ends_sentence(const GString *text)
{
    return !text->len || strchr(".:!?", text->str[text->len - 1]);
}

/* Returns true if a line begins a paragraph, judging by its position relative to the line before. */
static bool html_begins(const html_paragraph *paragraph, const cw_pdf_line *before, const cw_pdf_line *line)
{
    const double gap = 0.6, other_size = 0.2;
    double height = before->bottom - before->top, own = line->bottom - line->top;
    bool is_below = before->page == line->page && line->top > before->top;
    if (!line->size || !before->size)
        return true;
    if (MAX(height, own) - MIN(height, own) > other_size * MAX(height, own))
        return true;
    if (!is_below) /* another column or page */
        return html_ends_sentence(paragraph->text);
    return line->top - before->bottom > gap * height ||
           (line->left - before->left > height && html_ends_sentence(paragraph->text));
}

static void html_trim(html_paragraph *paragraph, size_t size)
{
    g_string_truncate(paragraph->text, size);
    for (guint i = paragraph->spans->len; i > 0; i--) {
        cw_pdf_span *span = &g_array_index(paragraph->spans, cw_pdf_span, i - 1);
        span->at = MIN(span->at, size);
        span->size = MIN(span->size, size - span->at);
    }
}

/* Prepares the end of the text for the next line: adds a space, or nothing if a word or a URL continues. */
static void html_join(html_paragraph *paragraph, gunichar next)
{
    GString *text = paragraph->text;
    while (text->len && text->str[text->len - 1] == ' ')
        html_trim(paragraph, text->len - 1);
    if (!text->len || html_ends_in_url(text))
        return;
    gunichar last = html_char_before(text, text->len);
    size_t before = text->len - (size_t)g_unichar_to_utf8(last, NULL);
    bool is_hyphen = last == '-' || last == 0xad || last == 0x2010;
    if (is_hyphen && g_unichar_isalpha(html_char_before(text, before)) && g_unichar_islower(next))
        html_trim(paragraph, before);
    else
        g_string_append_c(text, ' ');
}

static void html_add(html_paragraph *paragraph, const cw_pdf_text *text, const cw_pdf_line *line, bool has_text)
{
    const char *bytes = text->bytes->str + line->at;
    bool is_written = has_text && !line->is_left_out && line->size;
    if (is_written)
        html_join(paragraph, g_utf8_get_char(bytes));
    size_t at = paragraph->text->len;
    if (is_written)
        g_string_append_len(paragraph->text, bytes, (gssize)line->size);
    for (size_t i = 0; i < line->spans; i++) {
        cw_pdf_span span = g_array_index(text->spans, cw_pdf_span, line->first + i);
        span.at = is_written ? at + (span.at - line->at) : at;
        span.size = is_written ? span.size : 0;
        g_array_append_val(paragraph->spans, span);
    }
}

void cw_pdf_html_write(const cw_pdf_text *text, const char *title, bool has_text, FILE *out)
{
    html_paragraph paragraph = {
        .text = g_string_new(NULL), .spans = g_array_new(FALSE, FALSE, sizeof(cw_pdf_span)), .out = out};
    const cw_pdf_line *before = NULL;
    fprintf(out, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<main>\n", title ? title : "");
    for (guint i = 0; i < text->lines->len; i++) {
        const cw_pdf_line *line = cw_pdf_text_line(text, i);
        if (before && !line->is_left_out && html_begins(&paragraph, before, line))
            html_end(&paragraph);
        html_add(&paragraph, text, line, has_text);
        before = line->is_left_out ? before : line;
    }
    html_end(&paragraph);
    fputs("</main>\n", out);
    g_string_free(paragraph.text, TRUE);
    g_array_free(paragraph.spans, TRUE);
}
