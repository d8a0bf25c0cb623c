#include "tools/pdf/pdf_text.h"

#include <time.h>

/* A link's area on its page, from the top left corner. */
typedef struct text_link {
    double left, top, right, bottom;
    const char *url;
    bool is_placed; /* some text is on it */
} text_link;

/* The line being read. */
typedef struct text_reader {
    cw_pdf_text *text;
    GArray *links; /* text_link, of the page */
    cw_pdf_line line;
    text_link *link; /* of the last character; NULL: none */
} text_reader;

/* --- links --- */

static void text_read_links(text_reader *reader, PopplerPage *page)
{
    double width, height;
    poppler_page_get_size(page, &width, &height);
    g_array_set_size(reader->links, 0);
    GList *all = poppler_page_get_link_mapping(page);
    for (GList *i = all; i; i = i->next) {
        const PopplerLinkMapping *mapping = i->data;
        const PopplerAction *action = mapping->action;
        if (!action || action->type != POPPLER_ACTION_URI || !action->uri.uri)
            continue;
        const text_link link = {
            .left = MIN(mapping->area.x1, mapping->area.x2),
            .top = height - MAX(mapping->area.y1, mapping->area.y2),
            .right = MAX(mapping->area.x1, mapping->area.x2),
            .bottom = height - MIN(mapping->area.y1, mapping->area.y2),
            .url = g_string_chunk_insert_const(reader->text->urls, action->uri.uri),
        };
        g_array_append_val(reader->links, link);
    }
    poppler_page_free_link_mapping(all);
}

static text_link *text_link_at(const text_reader *reader, const PopplerRectangle *place)
{
    double x = (place->x1 + place->x2) / 2, y = (place->y1 + place->y2) / 2;
    for (guint i = 0; i < reader->links->len; i++) {
        text_link *link = &g_array_index(reader->links, text_link, i);
        if (x >= link->left && x <= link->right && y >= link->top && y <= link->bottom)
            return link;
    }
    return NULL;
}

static void text_begin_span(text_reader *reader, const char *url)
{
    const cw_pdf_span span = {.at = reader->text->bytes->len, .url = url};
    g_array_append_val(reader->text->spans, span);
    reader->line.spans++;
}

/* --- characters --- */

/* U+FB00 to U+FB06 by NFKC. */
static const char *const text_ligatures[] = {"ff", "fi", "fl", "ffi", "ffl", "st", "st"};

static bool text_is_unmapped(gunichar code)
{
    GUnicodeType type = g_unichar_type(code);
    return code == 0xfffd || type == G_UNICODE_PRIVATE_USE || type == G_UNICODE_UNASSIGNED ||
           type == G_UNICODE_SURROGATE || (type == G_UNICODE_CONTROL && code != '\t');
}

static void text_put_char(text_reader *reader, gunichar code)
{
    cw_pdf_text *text = reader->text;
    bool is_unmapped = text_is_unmapped(code);
    bool is_space = !is_unmapped && g_unichar_isspace(code);
    text->letters += !is_space;
    text->unmapped += is_unmapped;
    if (is_unmapped)
        return;
    if (code >= 0xfb00 && code < 0xfb00 + G_N_ELEMENTS(text_ligatures))
        g_string_append(text->bytes, text_ligatures[code - 0xfb00]);
    else if (!is_space)
        g_string_append_unichar(text->bytes, code);
    else if (text->bytes->len > reader->line.at)
        g_string_append_c(text->bytes, ' ');
}

static void text_widen(cw_pdf_line *line, const PopplerRectangle *place)
{
    bool is_first = line->right <= line->left;
    line->left = is_first ? place->x1 : MIN(line->left, place->x1);
    line->top = is_first ? place->y1 : MIN(line->top, place->y1);
    line->right = MAX(line->right, place->x2);
    line->bottom = MAX(line->bottom, place->y2);
}

static void text_take_char(text_reader *reader, gunichar code, const PopplerRectangle *place)
{
    GArray *spans = reader->text->spans;
    text_link *link = reader->links->len ? text_link_at(reader, place) : NULL;
    if (link && link != reader->link)
        text_begin_span(reader, link->url);
    text_widen(&reader->line, place);
    text_put_char(reader, code);
    if (link) {
        cw_pdf_span *span = &g_array_index(spans, cw_pdf_span, spans->len - 1);
        span->size = reader->text->bytes->len - span->at;
        link->is_placed = true;
    }
    reader->link = link;
}

/* --- lines and pages --- */

static void text_end_line(text_reader *reader)
{
    cw_pdf_text *text = reader->text;
    reader->line.size = text->bytes->len - reader->line.at;
    if (reader->line.size || reader->line.spans)
        g_array_append_val(text->lines, reader->line);
    reader->line = (cw_pdf_line){.at = text->bytes->len, .first = text->spans->len, .page = reader->line.page};
    reader->link = NULL;
}

/* Poppler puts marks of direction around words, and gives them no place. */
enum { TO_RIGHT = 0x202a, TO_LEFT, END_OF_MARK };

static bool text_is_mark(gunichar code)
{
    return code >= TO_RIGHT && code <= END_OF_MARK;
}

/* Returns the text of the page, and the area that selects it. Poppler selects from one corner of an area to the other,
 * in the direction in which the page is read; in the wrong direction it loses lines. */
static char *text_select(PopplerPage *page, PopplerRectangle *area)
{
    PopplerRectangle right = {0}, left = {0};
    poppler_page_get_size(page, &right.x2, &right.y2);
    left = (PopplerRectangle){.x1 = right.x2, .y2 = right.y2};
    char *bytes = poppler_page_get_text_for_area(page, &right);
    bool may_be_left = bytes && (!*bytes || strstr(bytes, "\u202c")); /* END_OF_MARK */
    char *other = may_be_left ? poppler_page_get_text_for_area(page, &left) : NULL;
    bool is_to_left = other && strlen(other) > strlen(bytes);
    *area = is_to_left ? left : right;
    g_free(is_to_left ? bytes : other);
    return is_to_left ? other : bytes;
}

/* Returns true if there is a gap between two words of a line from right to left, of which poppler omits the first. The
 * places of a word go from left to right. word: its text, behind its first mark; places: its own, of at most `count`;
 * before: the first place of the word before. */
static bool text_is_apart(const char *word, const PopplerRectangle *places, guint count, const PopplerRectangle *before)
{
    guint letters = 0;
    for (gunichar code; (code = g_utf8_get_char(word)) && code != TO_LEFT && !g_unichar_isspace(code);
         word = g_utf8_next_char(word))
        letters += !text_is_mark(code);
    if (!letters || letters > count)
        return false;
    const PopplerRectangle *last = &places[letters - 1];
    return before->x1 - last->x2 > (last->y2 - last->y1) / 10;
}

static void text_read_lines(text_reader *reader, PopplerPage *page)
{
    PopplerRectangle area, *places = NULL;
    guint count = 0;
    char *bytes = text_select(page, &area);
    if (bytes && g_utf8_validate(bytes, -1, NULL) &&
        poppler_page_get_text_layout_for_area(page, &area, &places, &count)) {
        guint i = 0, word = 0;
        gunichar code = 0, before;
        for (const char *at = bytes; *at && i < count; at = g_utf8_next_char(at)) {
            before = code;
            code = g_utf8_get_char(at);
            if (code == TO_LEFT) {
                if (before == END_OF_MARK && text_is_apart(g_utf8_next_char(at), &places[i], count - i, &places[word]))
                    text_put_char(reader, ' ');
                word = i;
            }
            if (text_is_mark(code))
                continue;
            if (code == '\n' || code == '\f')
                text_end_line(reader);
            else
                text_take_char(reader, code, &places[i]);
            i++;
        }
    }
    text_end_line(reader);
    g_free(places);
    g_free(bytes);
}

static void text_read_page(text_reader *reader, PopplerPage *page, bool wants_lines)
{
    text_read_links(reader, page);
    if (wants_lines)
        text_read_lines(reader, page);
    for (guint i = 0; i < reader->links->len; i++) {
        const text_link *link = &g_array_index(reader->links, text_link, i);
        if (!link->is_placed)
            text_begin_span(reader, link->url);
    }
    text_end_line(reader);
}

void cw_pdf_text_read(PopplerDocument *document, double seconds, cw_pdf_text *text)
{
    *text = (cw_pdf_text){
        .bytes = g_string_new(NULL),
        .lines = g_array_new(FALSE, FALSE, sizeof(cw_pdf_line)),
        .spans = g_array_new(FALSE, FALSE, sizeof(cw_pdf_span)),
        .urls = g_string_chunk_new(4096),
        .pages = poppler_document_get_n_pages(document),
    };
    text_reader reader = {.text = text, .links = g_array_new(FALSE, FALSE, sizeof(text_link))};
    for (int i = 0; i < text->pages; i++) {
        bool wants_lines = (double)clock() / CLOCKS_PER_SEC < seconds;
        PopplerPage *page = poppler_document_get_page(document, i);
        if (!page)
            continue;
        reader.line.page = i;
        text_read_page(&reader, page, wants_lines);
        text->pages_read += wants_lines;
        g_object_unref(page);
    }
    g_array_free(reader.links, TRUE);
}

/* --- headers and footers --- */

enum { EDGE = 3, REPEATS = 3 };

/* Returns the line with each number replaced by "#". */
static char *text_edge_key(const cw_pdf_text *text, const cw_pdf_line *line)
{
    GString *key = g_string_new(NULL);
    for (size_t i = 0; i < line->size; i++) {
        char c = text->bytes->str[line->at + i];
        if (!g_ascii_isdigit(c))
            g_string_append_c(key, c);
        else if (!key->len || key->str[key->len - 1] != '#')
            g_string_append_c(key, '#');
    }
    return g_strchomp(g_string_free(key, FALSE));
}

/* Calls take for each of the first and last lines of each page. */
static void text_each_edge(cw_pdf_text *text, GHashTable *counts, void (*take)(GHashTable *, char *, cw_pdf_line *))
{
    for (size_t i = 0, next; i < text->lines->len; i = next) {
        for (next = i; next < text->lines->len; next++)
            if (cw_pdf_text_line(text, next)->page != cw_pdf_text_line(text, i)->page)
                break;
        for (size_t at = i; at < next; at++)
            if ((at < i + EDGE || at + EDGE >= next) && cw_pdf_text_line(text, at)->size)
                take(counts, text_edge_key(text, cw_pdf_text_line(text, at)), cw_pdf_text_line(text, at));
    }
}

/* How many pages have a line at their edge, and the last of them. */
typedef struct text_edge {
    int pages, last;
} text_edge;

static void text_count_edge(GHashTable *counts, char *key, cw_pdf_line *line)
{
    text_edge *edge = g_hash_table_lookup(counts, key);
    if (edge)
        g_free(key);
    else
        g_hash_table_insert(counts, key, edge = g_new0(text_edge, 1));
    edge->pages += !edge->pages || edge->last != line->page;
    edge->last = line->page;
}

static void text_judge_edge(GHashTable *counts, char *key, cw_pdf_line *line)
{
    const text_edge *edge = g_hash_table_lookup(counts, key);
    line->is_left_out = edge->pages >= REPEATS;
    g_free(key);
}

void cw_pdf_text_leave_out(cw_pdf_text *text)
{
    GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    text_each_edge(text, counts, text_count_edge);
    text_each_edge(text, counts, text_judge_edge);
    g_hash_table_destroy(counts);
}
