/* The table of translations (hreflang) that do not name the page back which names them, so that search engines believe
 * neither. A page names them by its link elements; Link headers and sitemaps do not come into records. */
#include "tools/report/tables/rows.h"

#include "base/bytes.h"

#include <stdlib.h>

typedef struct translation {
    crawl_slice language, url;
} translation;

/* Takes the next line off a text of them, which is not empty. */
static translation translation_next(crawl_slice *translations)
{
    crawl_slice line = cw_cut_line(translations);
    crawl_slice language = cw_cut(&line, ' ');
    return (translation){.language = language, .url = line};
}

static bool translations_lead_to(cw_survey *survey, const cw_survey_page *from, const cw_survey_page *to)
{
    for (crawl_slice rest = from->says.translations; rest.size;)
        if (cw_survey_find(survey, translation_next(&rest).url) == to)
            return true;
    return false;
}

/* May the page name another one, as far as its record tells? */
static bool translations_are_told(const cw_survey_record *says)
{
    bool is_html = cw_survey_is_html(says) && !says->is_withheld && !says->data_is_cut;
    return is_html || says->redirect.size || cw_survey_judge(says) == CW_SURVEY_BROKEN;
}

/* Why the page that is named does not count as a translation; NULL: it does, or that could not be told. That for all
 * other languages may redirect by the language of who comes. */
static const char *translations_judge(cw_survey *survey, const cw_survey_page *page, translation one)
{
    const cw_survey_page *named = cw_survey_find(survey, one.url);
    if (!named || named == page || !translations_are_told(&named->says))
        return NULL;
    if (named->says.redirect.size)
        return cw_is_nocase(one.language, "x-default") ? NULL : "it redirects";
    if (!cw_survey_is_html(&named->says))
        return "it is broken";
    if (!named->says.translations.size)
        return "it names no translation";
    return translations_lead_to(survey, named, page) ? NULL : "it names others";
}

static bool has_translations(const cw_survey_report *report, const cw_survey_page *page)
{
    (void)report;
    return cw_survey_is_html(&page->says) && page->says.translations.size;
}

/* Of a page that is named by several languages, as by x-default too, the first one counts. */
static bool translation_is_first(crawl_slice translations, translation one)
{
    while (translations.size) {
        translation before = translation_next(&translations);
        if (before.url.data == one.url.data)
            return true;
        if (crawl_slice_equal(before.url, one.url))
            return false;
    }
    return true;
}

static void translations_put(const cw_survey_report *report, const cw_survey_out *out, const cw_survey_page *page)
{
    for (crawl_slice rest = page->says.translations; rest.size;) {
        translation one = translation_next(&rest);
        const char *why = translations_judge(report->survey, page, one);
        if (!why || !translation_is_first(page->says.translations, one))
            continue;
        const cw_survey_cell cells[] = {
            cw_survey_url_cell(page->says.url),
            cw_survey_text_cell(one.language),
            cw_survey_url_cell(one.url),
            cw_survey_text_cell(crawl_slice_from(why)),
        };
        out->row(out->user, cells);
    }
}

crawl_err cw_survey_rows_translations(const cw_survey_report *report, const cw_survey_out *out)
{
    cw_survey_list list = {0};
    crawl_err err = cw_survey_select(report, &report->survey->pages, has_translations, &list);
    cw_survey_sort(&list, cw_survey_by_url);
    for (size_t i = 0; i < list.count && !err; i++)
        translations_put(report, out, list.items[i]);
    free(list.items);
    return err;
}

bool cw_survey_tells_translations(const cw_survey_report *report)
{
    const cw_survey_list *pages = &report->survey->pages;
    bool has_some = false;
    for (size_t i = 0; i < pages->count; i++) {
        const cw_survey_page *page = pages->items[i];
        for (crawl_slice rest = page->says.translations; rest.size;) {
            const cw_survey_page *named = cw_survey_find(report->survey, translation_next(&rest).url);
            if (named && named != page && translations_are_told(&named->says))
                return true;
            has_some |= named != page;
        }
    }
    return !has_some;
}
