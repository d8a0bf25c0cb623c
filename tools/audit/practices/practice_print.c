#include "tools/audit/practices/practice.h"

#include "tools/common/io.h"
#include "tools/common/say.h"

#include <inttypes.h>

static unsigned practice_count(const cw_practice_findings *findings, cw_practice_status status)
{
    unsigned count = 0;
    for (cw_practice i = 0; i < CW_PRACTICE_COUNT; i++)
        count += cw_practice_status_of(findings, i) == status;
    return count;
}

unsigned cw_practice_broken(const cw_practice_findings *findings)
{
    return practice_count(findings, CW_PRACTICE_BROKEN);
}

/* ---- text ---- */

static void print_words(const char *words)
{
    cw_tool_escape_print(crawl_slice_from(words), stdout);
    putchar('\n');
}

static void print_breaches(const cw_practice_row *row)
{
    for (uint64_t i = 0; i < row->broken && i < CW_PRACTICE_SHOWN; i++) {
        const cw_practice_breach *one = &row->first[i];
        printf("          ");
        if (one->line)
            printf("line %" PRIu64 ": ", one->line);
        print_words(one->words);
    }
    if (row->broken > CW_PRACTICE_SHOWN)
        printf("          and %" PRIu64 " more\n", row->broken - CW_PRACTICE_SHOWN);
}

static void print_text(const cw_practice_findings *findings)
{
    static const char *const marks[] = {"kept", "BROKEN", "-"};
    printf("\npractices (draft-illyes-webbotauth-cbcp-01)\n");
    for (cw_practice i = 0; i < CW_PRACTICE_COUNT; i++) {
        cw_practice_status status = cw_practice_status_of(findings, i);
        const char *words = cw_practice_words_of(findings, i);
        bool has_words = status != CW_PRACTICE_BROKEN && *words;
        printf("%-8s  %s%s", marks[status], cw_practice_title(i), has_words ? ": " : "\n");
        if (has_words)
            print_words(words);
        print_breaches(&findings->rows[i]);
    }
    printf("\n%u practices kept, %u broken, %u not to be told from a log\n", practice_count(findings, CW_PRACTICE_KEPT),
           practice_count(findings, CW_PRACTICE_BROKEN), practice_count(findings, CW_PRACTICE_UNKNOWN));
}

/* ---- JSON ---- */

static json_t *breaches_of(const cw_practice_row *row)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < row->broken && i < CW_PRACTICE_SHOWN; i++) {
        const cw_practice_breach *one = &row->first[i];
        json_t *words = cw_tool_json_text(crawl_slice_from(one->words));
        json_t *breach = one->line ? json_pack("{s:I, s:o}", "line", (json_int_t)one->line, "words", words)
                                   : json_pack("{s:o}", "words", words);
        json_array_append_new(list, breach);
    }
    return list;
}

static void practice_print_object(const cw_practice_findings *findings, cw_practice practice)
{
    static const char *const statuses[] = {"kept", "broken", "unknown"};
    const cw_practice_row *row = &findings->rows[practice];
    cw_practice_status status = cw_practice_status_of(findings, practice);
    json_t *object = json_pack("{s:s, s:s, s:s}", "practice", cw_practice_name(practice), "status", statuses[status],
                               "title", cw_practice_title(practice));
    if (status == CW_PRACTICE_BROKEN) {
        json_object_set_new(object, "count", json_integer((json_int_t)row->broken));
        json_object_set_new(object, "first", breaches_of(row));
    } else {
        const char *words = cw_practice_words_of(findings, practice);
        json_object_set_new(object, "words", cw_tool_json_text(crawl_slice_from(words)));
    }
    cw_tool_json_print(object);
}

void cw_practice_print(const cw_practice_findings *findings, bool jsonl)
{
    if (!jsonl)
        print_text(findings);
    for (cw_practice i = 0; i < CW_PRACTICE_COUNT && jsonl; i++)
        practice_print_object(findings, i);
}
