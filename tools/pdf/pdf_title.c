#include "tools/pdf/pdf_text.h"

#include <string.h>

enum { TITLE_MOST = 300, TITLE_LETTERS = 4 };

/* --- metadata --- */

/* Returns true for "report-final.docx": one word, with a short suffix of letters or digits. */
static bool title_is_file(const char *title)
{
    const char *dot = strrchr(title, '.');
    if (!dot || strpbrk(title, " \t\n") || strlen(dot) < 3 || strlen(dot) > 6)
        return false;
    for (const char *c = dot + 1; *c; c++)
        if (!g_ascii_isalnum(*c))
            return false;
    return true;
}

static bool title_counts(const char *title)
{
    return *title && !g_str_has_prefix(title, "Microsoft ") && g_ascii_strcasecmp(title, "untitled") != 0 &&
           !title_is_file(title);
}

/* Takes ownership of text, and returns it if it is a title; otherwise NULL. */
static char *title_judge(char *text)
{
    if (text && g_utf8_validate(text, -1, NULL) && title_counts(g_strstrip(text)))
        return text;
    g_free(text);
    return NULL;
}

/* Returns the first item of dc:title (XMP, part 1, 8.3), which is XML text and so also HTML. */
static char *title_of_xmp(PopplerDocument *document)
{
    char *xmp = poppler_document_get_metadata(document);
    const char *at = xmp ? strstr(xmp, "<dc:title>") : NULL;
    const char *end = at ? strstr(at, "</dc:title>") : NULL;
    at = end ? g_strstr_len(at, end - at, "<rdf:li") : NULL;
    at = at ? strchr(at, '>') : NULL;
    char *title = at ? title_judge(g_strndup(at + 1, strcspn(at + 1, "<"))) : NULL;
    g_free(xmp);
    return title;
}

static char *title_of_info(PopplerDocument *document)
{
    char *title = title_judge(poppler_document_get_title(document));
    char *html = title ? g_markup_escape_text(title, -1) : NULL;
    g_free(title);
    return html;
}

/* --- the first page --- */

static double title_height(const cw_pdf_line *line)
{
    return line->bottom - line->top;
}

/* A large initial or a price is no title. */
static bool title_has_letters(const cw_pdf_text *text, const cw_pdf_line *line)
{
    int letters = 0;
    const char *at = text->bytes->str + line->at, *end = at + line->size;
    for (; at < end; at = g_utf8_next_char(at))
        letters += g_unichar_isalpha(g_utf8_get_char(at));
    return letters >= TITLE_LETTERS;
}

static guint title_find_largest(const cw_pdf_text *text)
{
    guint found = text->lines->len;
    for (guint i = 0; i < text->lines->len; i++) {
        const cw_pdf_line *line = cw_pdf_text_line(text, i);
        if (line->page > 0)
            break;
        if (title_has_letters(text, line) &&
            (found == text->lines->len || title_height(line) > title_height(cw_pdf_text_line(text, found))))
            found = i;
    }
    return found;
}

/* Returns the largest line, and the following lines of its size. */
static char *title_of_page(const cw_pdf_text *text)
{
    const double same = 0.95;
    guint first = title_find_largest(text);
    GString *title = g_string_new(NULL);
    for (guint i = first; i < text->lines->len; i++) {
        const cw_pdf_line *line = cw_pdf_text_line(text, i);
        if (line->page > 0 || title_height(line) < same * title_height(cw_pdf_text_line(text, first)) ||
            title->len + line->size > TITLE_MOST)
            break;
        if (title->len)
            g_string_append_c(title, ' ');
        g_string_append_len(title, text->bytes->str + line->at, (gssize)line->size);
    }
    char *plain = title_judge(g_string_free(title, FALSE));
    char *html = plain ? g_markup_escape_text(plain, -1) : NULL;
    g_free(plain);
    return html;
}

char *cw_pdf_title(PopplerDocument *document, const cw_pdf_text *text)
{
    char *title = title_of_xmp(document);
    title = title ? title : title_of_info(document);
    return title ? title : title_of_page(text);
}
