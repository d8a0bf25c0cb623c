#include "parse/wall/wall_page.h"

#include "base/bytes.h"
#include "parse/wall/wall_detour.h"

/* ---- not found ---- */

/* Titles of missing pages, by the servers, frameworks and systems in common use. */
#define MISSING(text)          \
    {                          \
        text, sizeof(text) - 1 \
    }
static const crawl_slice missing[] = {
    MISSING("404 not found"),
    MISSING("404 - not found"),
    MISSING("404: not found"),
    MISSING("404 page not found"),
    MISSING("404 error"),
    MISSING("error 404"),
    MISSING("error 404 (not found)"),
    MISSING("http 404"),
    MISSING("http 404 not found"),
    MISSING("http status 404"),
    MISSING("not found"),
    MISSING("page not found"),
    MISSING("page not found (404)"),
    MISSING("page not found - 404"),
    MISSING("404: this page could not be found"),
    MISSING("404: this page could not be found."),
    MISSING("page cannot be found"),
    MISSING("the page cannot be found"),
    MISSING("page does not exist"),
    MISSING("page doesn't exist"),
    MISSING("object not found!"),
    MISSING("seite nicht gefunden"),
    MISSING("404 - seite nicht gefunden"),
    MISSING("fehler 404"),
    MISSING("nicht gefunden"),
    MISSING("page introuvable"),
    MISSING("page non trouv\xc3\xa9"
            "e"),
    MISSING("erreur 404"),
    MISSING("p\xc3\xa1gina no encontrada"),
    MISSING("error 404: p\xc3\xa1gina no encontrada"),
    MISSING("p\xc3\xa1gina n\xc3\xa3o encontrada"),
    MISSING("pagina non trovata"),
    MISSING("errore 404"),
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

/* The separators between a title and the name of its site. */
static const char *const separators[] = {" | ",        " - ",  " \xe2\x80\x93 ", " \xe2\x80\x94 ",
                                         " \xc2\xb7 ", " :: ", " \xc2\xbb "};

static bool is_missing(crawl_slice words)
{
    words = cw_trim(words);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (words.size == missing[i].size && cw_equal_nocase(words, missing[i]))
            return true;
    return false;
}

static bool begins_with_separator(crawl_slice text)
{
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if (cw_starts_with(text, separators[i]))
            return true;
    return false;
}

/* Runs on the title of every page. */
bool cw_walls_title_is_missing(crawl_slice title)
{
    bool says_so = is_missing(title);
    for (size_t at = 0; !says_so && at < title.size; at++) {
        at += cw_find_char(cw_drop(title, at), ' ');
        bool may_be_one = at + 1 < title.size && strchr("|-:\xe2\xc2", title.data[at + 1]);
        says_so = may_be_one && begins_with_separator(cw_drop(title, at)) && is_missing(crawl_slice_of(title.data, at));
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
