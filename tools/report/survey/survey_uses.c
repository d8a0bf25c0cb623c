#include "tools/report/survey/survey_uses.h"

#include "base/bytes.h"

#include <crawl/preferences.h>
#include <stdio.h>

/* A line is a digit for the use, one for the stand, the source, a tab, the statement. */
static const char uses_separator = '\t';

static bool uses_has_line(const crawl_buf *uses, crawl_slice line)
{
    for (crawl_slice rest = crawl_buf_slice(uses); rest.size;)
        if (crawl_slice_equal(cw_cut_line(&rest), line))
            return true;
    return false;
}

/* Adds a line, unless it is there, is none, or there is no room. */
static crawl_err uses_add(crawl_buf *uses, const cw_survey_use *one)
{
    char line[CW_SURVEY_USES_MAX];
    int size = snprintf(line, sizeof line, "%u%u%.*s%c%.*s", one->use, (unsigned)one->stand, (int)one->source.size,
                        one->source.data, uses_separator, (int)one->statement.size, one->statement.data);
    bool fits = size > 0 && (size_t)size < CW_SURVEY_USES_MAX - uses->size;
    bool is_line = fits && !memchr(line, '\n', (size_t)size);
    if (!is_line || uses_has_line(uses, crawl_slice_of(line, (size_t)size)))
        return CRAWL_OK;
    crawl_err err = crawl_buf_append(uses, line, (size_t)size);
    return err ? err : crawl_buf_append_char(uses, '\n');
}

/* The uses that a list names, as bits 1 << crawl_use. */
static unsigned uses_named(cw_survey *survey, const cw_json_value *list)
{
    unsigned named = 0;
    cw_json_value element;
    crawl_slice rest = list->bytes;
    while (list->kind == CW_JSON_ARRAY && cw_json_next_element(&rest, &element))
        for (unsigned use = 0; use < CRAWL_USE_COUNT; use++)
            named |= (unsigned)cw_is(cw_json_text(&element, &survey->decoded), crawl_use_name((crawl_use)use)) << use;
    return named;
}

/* A statement as one reads it: "train-ai=n", "noai"; of a licence its URL. */
static crawl_err uses_words(crawl_slice label, crawl_slice value, bool is_license, crawl_buf *words)
{
    const char *between = value.size && !is_license ? "=" : "";
    return crawl_buf_printf(words, "%.*s%s%.*s", is_license ? 0 : (int)label.size, label.data, between, (int)value.size,
                            value.data);
}

static crawl_err uses_add_all(crawl_buf *uses, unsigned bits, cw_survey_use one)
{
    crawl_err err = CRAWL_OK;
    for (one.use = 0; one.use < CRAWL_USE_COUNT && !err; one.use++)
        if (bits >> one.use & 1)
            err = uses_add(uses, &one);
    return err;
}

typedef struct said_uses {
    unsigned refused, granted;
} said_uses;

static crawl_err take_statement(cw_survey *survey, const cw_json_value *statement, cw_survey_record *record,
                                said_uses *said)
{
    enum { SOURCE, LABEL, VALUE, LINE, IGNORED, REFUSES, GRANTS, FIELDS };
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("source"), CW_JSON_NAME("label"),   CW_JSON_NAME("value"),
                                              CW_JSON_NAME("line"),   CW_JSON_NAME("ignored"), CW_JSON_NAME("refuses"),
                                              CW_JSON_NAME("grants")};
    cw_json_value of[FIELDS];
    crawl_buf words = {0};
    if (statement->kind != CW_JSON_OBJECT || !cw_json_pick(statement->bytes, names, FIELDS, of) ||
        of[IGNORED].kind == CW_JSON_STRING)
        return CRAWL_OK;
    crawl_slice label = cw_json_text(&of[LABEL], &survey->decoded);
    crawl_slice value = cw_json_text(&of[VALUE], &survey->decoded);
    cw_survey_use one = {.source = cw_json_text(&of[SOURCE], &survey->decoded)};
    unsigned refuses = uses_named(survey, &of[REFUSES]);
    unsigned grants = uses_named(survey, &of[GRANTS]);
    bool is_license = cw_is(label, "license");
    crawl_err err = uses_words(label, value, is_license, &words);
    one.statement = crawl_buf_slice(&words);
    record->asks_license |= cw_is(one.source, "rsl") && of[LINE].kind != CW_JSON_NUMBER;
    one.stand = CW_STAND_REFUSED;
    if (!err)
        err = uses_add_all(&survey->uses, refuses, one);
    one.stand = CW_STAND_GRANTED;
    if (!err)
        err = uses_add_all(&survey->uses, grants, one);
    one.use = CRAWL_USE_COUNT;
    one.stand = CW_STAND_LICENSE;
    if (!err && is_license)
        err = uses_add(&survey->uses, &one);
    said->refused |= refuses;
    said->granted |= grants;
    crawl_buf_free(&words);
    return err;
}

crawl_err cw_survey_take_uses(cw_survey *survey, const cw_json_value *statements, cw_survey_record *record)
{
    said_uses said = {0};
    cw_json_value statement;
    crawl_err err = CRAWL_OK;
    crawl_slice rest = statements->bytes;
    crawl_buf_clear(&survey->uses);
    while (statements->kind == CW_JSON_ARRAY && !err && cw_json_next_element(&rest, &statement))
        err = take_statement(survey, &statement, record, &said);
    if (!err)
        err = uses_add_all(&survey->uses, said.refused & said.granted, (cw_survey_use){.stand = CW_STAND_AT_ODDS});
    if (!err)
        err = uses_add_all(&survey->uses, said.refused, (cw_survey_use){.stand = CW_STAND_REFUSED});
    if (!err)
        err = uses_add_all(&survey->uses, said.granted & ~said.refused, (cw_survey_use){.stand = CW_STAND_GRANTED});
    record->uses = crawl_buf_slice(&survey->uses);
    return err;
}

cw_survey_use cw_survey_next_use(crawl_slice *uses)
{
    crawl_slice line = cw_cut_line(uses);
    cw_survey_use one = {.use = (unsigned)(line.data[0] - '0'), .stand = (cw_survey_stand)(line.data[1] - '0')};
    line = cw_drop(line, 2);
    one.source = cw_cut(&line, uses_separator);
    one.statement = line;
    return one;
}
