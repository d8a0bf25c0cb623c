#include "parse/text/text_flank.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <unictype.h>

/* Symbols beyond ASCII are punctuation since CommonMark 0.31, and were letters before. cmark-gfm ignores "~" beside
 * "*". In a table cell the end of a line is "<br>". Signs must be right under all of these rules. */
typedef enum flank_class { FLANK_SPACE, FLANK_LINE, FLANK_PUNCTUATION, FLANK_SYMBOL, FLANK_WORD } flank_class;

typedef struct flank_work {
    cw_text_marking *signs;
    crawl_slice text;
    flank_class symbols; /* the class that symbols count as */
} flank_work;

/* Returns the class of the first character of a text; an empty text counts as a space. */
static flank_class flank_class_of(crawl_slice text)
{
    if (!text.size || cw_is_space((unsigned char)text.data[0]))
        return text.size && text.data[0] == '\n' ? FLANK_LINE : FLANK_SPACE;
    unsigned char c = (unsigned char)text.data[0];
    if (c < 0x80)
        return cw_is_alnum(c) || c < ' ' ? FLANK_WORD : FLANK_PUNCTUATION;
    uint32_t code = cw_utf8_next(text.data, text.data + text.size).code;
    if (uc_is_general_category_withtable(code, UC_CATEGORY_MASK_P))
        return FLANK_PUNCTUATION;
    if (uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Zs))
        return FLANK_SPACE;
    return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_S) ? FLANK_SYMBOL : FLANK_WORD;
}

/* Returns the start of the character before a place; 0 at the start of the text. */
static size_t flank_back(crawl_slice text, size_t at)
{
    size_t begin = at ? at - 1 : 0;
    while (begin && at - begin < 4 && ((unsigned char)text.data[begin] & 0xc0) == 0x80)
        begin--;
    return begin;
}

static char sign_char(const cw_text_sign *sign)
{
    static const char chars[] = {
        [CW_MARK_LINK] = '[', [CW_MARK_STRONG] = '*',  [CW_MARK_EMPHASIS] = '*',
        [CW_MARK_CODE] = '`', [CW_MARK_DELETED] = '~',
    };
    return chars[sign->kind];
}

static bool is_emphasis_sign(const cw_text_sign *sign)
{
    return !sign->dropped && sign->kind != CW_MARK_LINK && sign->kind != CW_MARK_CODE;
}

static bool stops_sight(const flank_work *work, char sign, char other)
{
    return other != sign && !(sign == '*' && other == '~' && work->symbols == FLANK_WORD);
}

static size_t kept_sign(const cw_text_marking *signs, size_t index, int step)
{
    do
        index += (size_t)step;
    while (index < signs->count && signs->list[index].dropped);
    return index;
}

/* Returns the class of the text on one side of a sign and of equal signs beside it. step: 1 or -1. */
static flank_class flank_beside(const flank_work *work, size_t index, int step)
{
    const cw_text_marking *signs = work->signs;
    const cw_text_sign *sign = &signs->list[index];
    for (size_t i = kept_sign(signs, index, step); i < signs->count && signs->list[i].at == sign->at;
         i = kept_sign(signs, i, step))
        if (stops_sight(work, sign_char(sign), sign_char(&signs->list[i])))
            return FLANK_PUNCTUATION;
    size_t at = step > 0 ? sign->at : flank_back(work->text, sign->at);
    flank_class class = FLANK_SPACE;
    if (step > 0 || sign->at)
        class = flank_class_of(cw_drop(work->text, at));
    if (class == FLANK_LINE)
        return work->symbols == FLANK_PUNCTUATION ? FLANK_PUNCTUATION : FLANK_SPACE;
    return class == FLANK_SYMBOL ? work->symbols : class;
}

/* Returns true if a run of signs may stand between these classes. `near` is on the side of the marked text. */
static bool is_flanking(flank_class near, flank_class far)
{
    return near != FLANK_SPACE && (near != FLANK_PUNCTUATION || far == FLANK_SPACE || far == FLANK_PUNCTUATION);
}

static void drop_pair(cw_text_marking *signs, size_t index)
{
    signs->list[index].dropped = true;
    signs->list[signs->list[index].pair].dropped = true;
}

/* --- moving signs --- */

/* Returns the place one character further inward. A backslash and the character that it escapes count as one. */
static size_t flank_next(crawl_slice text, const cw_text_sign *sign)
{
    size_t at = sign->at;
    if (sign->opens) {
        bool escapes = text.data[at] == '\\' && at + 1 < text.size;
        return at + (escapes ? 2 : cw_utf8_next(text.data + at, text.data + text.size).size);
    }
    at = flank_back(text, at);
    size_t slashes = 0;
    while (slashes < at && text.data[at - slashes - 1] == '\\')
        slashes++;
    return at - slashes % 2;
}

/* A sign that would move further is dropped, since each move looks over all dropped signs beside it. */
enum { FLANK_MAX_MOVES = 64 };

/* Moves a sign inward over punctuation, at most to the next sign. */
static void move_sign(flank_work *work, size_t index)
{
    cw_text_marking *signs = work->signs;
    cw_text_sign *sign = &signs->list[index];
    if (!is_emphasis_sign(sign))
        return;
    int inward = sign->opens ? 1 : -1;
    size_t other = kept_sign(signs, index, inward);
    for (unsigned moves = 0; other != sign->pair || sign->at != signs->list[other].at; moves++) {
        work->symbols = FLANK_PUNCTUATION;
        flank_class near = flank_beside(work, index, inward);
        work->symbols = FLANK_WORD;
        if (is_flanking(near, flank_beside(work, index, -inward)))
            return;
        if (moves == FLANK_MAX_MOVES) {
            drop_pair(signs, index);
            return;
        }
        size_t next = sign->at == signs->list[other].at ? sign->at : flank_next(work->text, sign);
        if (next == sign->at || (sign->opens ? next > signs->list[other].at : next < signs->list[other].at))
            break;
        sign->at = next;
    }
    if (other == sign->pair)
        drop_pair(signs, index);
}

/* --- reading signs --- */

/* A run of one character, of which the signs from first to last are not used yet. */
typedef struct flank_row {
    size_t first;
    size_t last;
    unsigned whole; /* characters at the start */
    unsigned left;  /* characters not used yet */
    bool opens;
    bool closes;
} flank_row;

typedef struct flank_stack {
    flank_row rows[CW_TEXT_MAX_MARKS];
    unsigned count;
} flank_stack;

static unsigned sign_size(const cw_text_sign *sign)
{
    return sign->kind == CW_MARK_EMPHASIS ? 1 : 2;
}

/* Returns the run that begins with a sign. */
static flank_row flank_row_at(const flank_work *work, size_t index)
{
    const cw_text_marking *signs = work->signs;
    const cw_text_sign *sign = &signs->list[index];
    flank_row row = {.first = index, .last = index, .whole = sign_size(sign)};
    for (size_t i = index; (i = kept_sign(signs, i, 1)) < signs->count; row.last = i) {
        if (signs->list[i].at != sign->at || sign_char(&signs->list[i]) != sign_char(sign))
            break;
        row.whole += sign_size(&signs->list[i]);
    }
    row.left = row.whole;
    flank_class before = flank_beside(work, row.first, -1);
    flank_class after = flank_beside(work, row.last, 1);
    row.opens = is_flanking(after, before);
    row.closes = is_flanking(before, after);
    return row;
}

/* Returns the run that a Markdown reader takes as the opener for this closing run. NULL: none. */
static flank_row *flank_opener(const flank_work *work, flank_stack *stack, const flank_row *row)
{
    const cw_text_sign *list = work->signs->list;
    char c = sign_char(&list[row->first]);
    for (unsigned i = stack->count; i; i--) {
        flank_row *opener = &stack->rows[i - 1];
        bool is_third = (row->opens || opener->closes) && row->whole % 3 && (row->whole + opener->whole) % 3 == 0;
        if (sign_char(&list[opener->last]) == c && opener->opens && !is_third &&
            (c == '*' || (row->whole == 2 && opener->whole == 2)))
            return opener;
    }
    return NULL;
}

/* Returns true for three characters on both sides, with the emphasis inside the strong mark. A reader takes two
 * characters first, which swaps the marks and means the same. */
static bool is_swapped(const cw_text_marking *signs, const flank_row *opener, const flank_row *row)
{
    const cw_text_sign *inner = &signs->list[row->first];
    return inner->kind == CW_MARK_EMPHASIS && inner->pair == opener->last &&
           signs->list[kept_sign(signs, row->first, 1)].pair == opener->first;
}

/* Uses one sign of both runs. False: they do not match, and one pair was dropped. */
static bool take_pair(flank_work *work, flank_stack *stack, flank_row *row)
{
    cw_text_marking *signs = work->signs;
    flank_row *opener = flank_opener(work, stack, row);
    const cw_text_sign *sign = &signs->list[row->first];
    unsigned used = opener && opener->left > 1 && row->left > 1 ? 2 : 1;
    if (opener && opener->left == 3 && row->left >= 3 && is_swapped(signs, opener, row)) {
        stack->count = (unsigned)(opener - stack->rows);
        row->left -= 3;
        row->first = kept_sign(signs, kept_sign(signs, row->first, 1), 1);
        return true;
    }
    bool fits = opener && opener == &stack->rows[stack->count - 1] && sign->pair == opener->last && !sign->opens &&
                sign_size(sign) == used;
    if (!fits) {
        drop_pair(signs, row->first);
        return false;
    }
    opener->left -= used;
    opener->last = kept_sign(signs, opener->last, -1);
    row->left -= used;
    row->first = kept_sign(signs, row->first, 1);
    stack->count -= opener->left == 0;
    return true;
}

/* Reads the signs from `from` on as a Markdown reader does, until no mark is open. *next: the first sign not read.
 * False: a pair was dropped. */
static bool read_signs(flank_work *work, size_t from, size_t *next)
{
    cw_text_marking *signs = work->signs;
    flank_stack stack = {.count = 0};
    size_t at = from;
    while (at < signs->count) {
        if (!is_emphasis_sign(&signs->list[at])) {
            at++;
            continue;
        }
        flank_row row = flank_row_at(work, at);
        at = row.last + 1;
        while (row.left && (!signs->list[row.first].opens || (row.closes && flank_opener(work, &stack, &row)))) {
            if (!row.closes) {
                drop_pair(signs, row.first);
                return false;
            }
            if (!take_pair(work, &stack, &row))
                return false;
        }
        if (row.left && (!row.opens || stack.count == CW_TEXT_MAX_MARKS)) {
            drop_pair(signs, row.first);
            return false;
        }
        if (row.left)
            stack.rows[stack.count++] = row;
        else if (!stack.count)
            break;
    }
    *next = at;
    return true;
}

/* After this many rounds, a mark that still cannot be read loses its signs, as do all that follow in its block. */
enum { FLANK_MAX_ROUNDS = 64 };

/* Reads all signs. When a sign is dropped, those around it have new neighbours and are read again. */
static void read_every_sign(flank_work *work)
{
    for (size_t at = 0, next; at < work->signs->count; at = next) {
        unsigned rounds = 0;
        bool is_right = false;
        while (!is_right) {
            work->symbols = FLANK_PUNCTUATION;
            is_right = read_signs(work, at, &next);
            size_t other = next;
            work->symbols = FLANK_WORD;
            is_right = is_right && read_signs(work, at, &other);
            if (!is_right && ++rounds == FLANK_MAX_ROUNDS)
                for (size_t i = at; i < work->signs->count; i++)
                    if (is_emphasis_sign(&work->signs->list[i]))
                        drop_pair(work->signs, i);
        }
    }
}

void cw_text_flank_settle(cw_text_marking *signs, crawl_slice text)
{
    flank_work work = {.signs = signs, .text = text};
    for (size_t i = 0; i < signs->count; i++)
        if (!signs->list[i].opens)
            move_sign(&work, i);
    for (size_t i = signs->count; i; i--)
        if (signs->list[i - 1].opens)
            move_sign(&work, i - 1);
    read_every_sign(&work);
}
