#include "parse/wall/wall_page.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/wall/wall_detour.h"

#include <unicase.h>

/* ---- not found ---- */

/* Titles of missing pages, by the servers, frameworks and systems in common use. */
#define MISSING(text)          \
    {                          \
        text, sizeof(text) - 1 \
    }
static const crawl_slice missing[] = {
    MISSING("404 error"),
    MISSING("error 404 (not found)"),
    MISSING("not found"),
    MISSING("page not found"),
    MISSING("page not found (404)"),
    MISSING("this page could not be found"),
    MISSING("page cannot be found"),
    MISSING("the page cannot be found"),
    MISSING("page does not exist"),
    MISSING("page doesn't exist"),
    MISSING("object not found"),
    MISSING("seite nicht gefunden"),
    MISSING("nicht gefunden"),
    MISSING("page introuvable"),
    MISSING("page non trouv\xc3\xa9"
            "e"),
    MISSING("p\xc3\xa1gina no encontrada"),
    MISSING("p\xc3\xa1gina n\xc3\xa3o encontrada"),
    MISSING("pagina non trovata"),
    MISSING("pagina niet gevonden"),
    MISSING("sidan kunde inte hittas"),
    MISSING("sidan hittades inte"),
    MISSING("siden blev ikke fundet"),
    MISSING("siden ble ikke funnet"),
    MISSING("sivua ei l\xc3\xb6ydy"),
    MISSING("nie znaleziono strony"),
    MISSING("strona nie znaleziona"),
    MISSING("str\xc3\xa1nka nenalezena"),
    MISSING("az oldal nem tal\xc3\xa1lhat\xc3\xb3"),
    MISSING("sayfa bulunamad\xc4\xb1"),
    MISSING("\xd1\x81\xd1\x82\xd1\x80\xd0\xb0\xd0\xbd\xd0\xb8\xd1\x86\xd0\xb0 \xd0\xbd\xd0\xb5 "
            "\xd0\xbd\xd0\xb0\xd0\xb9\xd0\xb4\xd0\xb5\xd0\xbd\xd0\xb0"),
    MISSING(
        "\xe3\x83\x9a\xe3\x83\xbc\xe3\x82\xb8\xe3\x81\x8c\xe8\xa6\x8b\xe3\x81\xa4\xe3\x81\x8b\xe3\x82\x8a\xe3\x81\xbe"
        "\xe3\x81\x9b\xe3\x82\x93"),
    MISSING("\xe9\xa1\xb5\xe9\x9d\xa2\xe6\x9c\xaa\xe6\x89\xbe\xe5\x88\xb0"),
    MISSING("\xe9\xa0\x81\xe9\x9d\xa2\xe4\xb8\x8d\xe5\xad\x98\xe5\x9c\xa8"),
    MISSING("\xed\x8e\x98\xec\x9d\xb4\xec\xa7\x80\xeb\xa5\xbc \xec\xb0\xbe\xec\x9d\x84 \xec\x88\x98 "
            "\xec\x97\x86\xec\x8a\xb5\xeb\x8b\x88\xeb\x8b\xa4"),
};

/* Words before the number of the error. */
static const char *const error_names[] = {"error", "http", "status", "code", "erreur", "errore", "fehler"};

/* The separators between a title and the name of its site. */
static const struct {
    const char *text;
    bool follows_site; /* the title may be after it too; a dash is in too many titles */
} separators[] = {
    {" | ", true},        {" - ", false}, {" \xe2\x80\x93 ", false}, {" \xe2\x80\x94 ", false},
    {" \xc2\xb7 ", true}, {" :: ", true}, {" \xc2\xbb ", true},      {" \xe2\x80\xa2 ", true},
};

/* Returns true if both are equal, ignoring case; lower is in lower case. */
static bool is_phrase(crawl_slice text, crawl_slice lower)
{
    while (text.size && lower.size) {
        cw_utf8 one = cw_utf8_next(text.data, text.data + text.size);
        cw_utf8 other = cw_utf8_next(lower.data, lower.data + lower.size);
        if (uc_tolower(one.code) != other.code)
            return false;
        text = cw_drop(text, one.size);
        lower = cw_drop(lower, other.size);
    }
    return !text.size && !lower.size;
}

static bool is_listed(crawl_slice words)
{
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (is_phrase(words, missing[i]))
            return true;
    return false;
}

/* Takes the number off the front of *words, as in "HTTP 404 Not Found" and "Error 404: Page not found". *is_named: a
 * word before it says that it is an error. False: there is none. */
static bool take_number(crawl_slice *words, bool *is_named)
{
    static const char *const signs[] = {"-", ":", "|", ".", "\xe2\x80\x93", "\xe2\x80\x94"};
    crawl_slice rest = *words;
    crawl_slice word = cw_take_word(&rest, false);
    for (*is_named = false; cw_is_among(word, error_names, sizeof error_names / sizeof *error_names); *is_named = true)
        word = cw_take_word(&rest, false);
    if (!cw_take_text(&word, "404"))
        return false;
    rest = crawl_slice_of(word.data, (size_t)(words->data + words->size - word.data));
    bool is_apart = !rest.size || cw_is_space((unsigned char)*rest.data);
    rest = cw_trim_start(rest);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        is_apart = cw_take_text(&rest, signs[i]) || is_apart;
    *words = cw_trim_start(rest);
    return is_apart;
}

static bool is_missing(crawl_slice words)
{
    words = cw_trim(words);
    while (words.size && strchr(".!", words.data[words.size - 1]))
        words.size--;
    if (cw_starts_nocase(words, "oops"))
        for (words = cw_drop(words, 4); words.size && strchr("!,. ", *words.data);)
            words = cw_drop(words, 1);
    if (is_listed(words))
        return true;
    bool is_named;
    return take_number(&words, &is_named) && (words.size ? is_listed(words) : is_named);
}

/* Returns true if the title says so before or after a separator at its start. */
static bool is_missing_beside(crawl_slice title, size_t at)
{
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        crawl_slice behind = cw_drop(title, at);
        if (cw_take_text(&behind, separators[i].text))
            return is_missing(crawl_slice_of(title.data, at)) || (separators[i].follows_site && is_missing(behind));
    }
    return false;
}

/* Runs on the title of every page. */
bool cw_walls_title_is_missing(crawl_slice title)
{
    bool says_so = is_missing(title);
    for (size_t at = 0; !says_so && at < title.size; at++) {
        at += cw_find_char(cw_drop(title, at), ' ');
        bool may_be_one = at + 1 < title.size && strchr("|-:\xe2\xc2", title.data[at + 1]);
        says_so = may_be_one && is_missing_beside(title, at);
    }
    return says_so;
}

/* ---- forms ---- */

static size_t wall_words_count(crawl_slice text, const char *wanted)
{
    size_t count = 0;
    for (size_t at; (at = cw_find_text(text, wanted)) < text.size; count++)
        text = cw_drop(text, at + strlen(wanted));
    return count;
}

crawl_verdict cw_walls_form_of(const cw_walls_page *page, crawl_slice url)
{
    crawl_slice marks = crawl_buf_slice(&page->marks);
    bool asks_login = wall_words_count(marks, "\ninput type=password\n") == 1; /* two: to create an account */
    if (asks_login && page->text.size < CW_WALLS_LOGIN_TEXT && !cw_walls_url_is_login(url))
        return CRAWL_VERDICT_LOGIN;
    bool asks_consent = cw_walls_detour_of((crawl_slice){0}, url) == CRAWL_VERDICT_CONSENT;
    bool has_form = wall_words_count(marks, "\nform\n") > 0 && page->text.size < CW_WALLS_MISSING_TEXT;
    return asks_consent && has_form ? CRAWL_VERDICT_CONSENT : CRAWL_VERDICT_CONTENT;
}
