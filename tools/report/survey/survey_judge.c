#include "tools/report/survey/survey_judge.h"

#include "base/bytes.h"

#include <stdio.h>

/* RFC 9110, 15, and the registry of statuses: the ones that servers use. */
static const struct {
    int status;
    const char *words;
} statuses[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {410, "Gone"},
    {414, "URI Too Long"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
};

static const char asks_license[] = "license"; /* not a class of errors */

/* The classes of errors in records, in words. */
static const struct {
    const char *error;
    const char *words;
    bool is_broken;
} errors[] = {
    {"dns", "The host name was not found", true},
    {"connect", "No connection was made", true},
    {"tls", "The certificate or the TLS of the server was refused", true},
    {"timeout", "The answer took too long", true},
    {"reset", "The connection was closed before the answer was whole", true},
    {"protocol", "The answer breaks the rules of HTTP", true},
    {"redirects", "The redirects lead to no page", true},
    {"no-url", "The link is no URL", true},
    {"robots", "robots.txt forbids it", false},
    {"too-large", "The answer is larger than the crawl reads", false},
    {"private", "The address is not one of the internet", false},
    {"port", "The port is one that browsers block", false},
    {"scope", "A redirect leads out of the crawl", false},
    {"refused", "A rule of the crawl refused it", false},
    {"limit", "A limit of the crawl was reached", false},
    {"retry-after", "The host asked to be left alone", false},
    {"soft-404", "The page says that it is not there, with status 200", true},
    {"wall", "A wall stood in place of the page", false},
    {asks_license, "The answer asks for a licence", false},
    {"given-up", "The host failed too often and was given up", false},
    {"local", "The crawling machine failed", false},
};

/* RSL 1.0: a server that requires a licence answers with one of these statuses and names the licence. */
static bool judge_asks_license(const cw_survey_record *record)
{
    return (record->status == 401 || record->status == 402) && record->asks_license;
}

static size_t find_error(const cw_survey_record *record)
{
    crawl_slice error = judge_asks_license(record) ? crawl_slice_from(asks_license) : record->error;
    size_t i = 0;
    while (i < sizeof errors / sizeof *errors && !cw_is(error, errors[i].error))
        i++;
    return i;
}

/* Returns "Not Found"; "" for a status without a name. */
static const char *judge_status_words(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].words;
    return "";
}

static bool judge_is_walled(const cw_survey_record *record)
{
    return cw_is(record->error, "wall");
}

/* A status of 400 or more outweighs an error, except for walls, licences and rate limits. */
cw_survey_state cw_survey_judge(const cw_survey_record *record)
{
    size_t error = find_error(record);
    if (record->status == 429 || record->is_limited || judge_is_walled(record) || judge_asks_license(record))
        return CW_SURVEY_UNCHECKED;
    if (record->status >= 400)
        return CW_SURVEY_BROKEN;
    if (record->error.size)
        return error < sizeof errors / sizeof *errors && !errors[error].is_broken ? CW_SURVEY_UNCHECKED
                                                                                  : CW_SURVEY_BROKEN;
    if (record->status >= 300 && record->status != 304)
        return record->redirects ? CW_SURVEY_REDIRECTS : CW_SURVEY_FINE;
    return record->status >= 200 ? CW_SURVEY_FINE : CW_SURVEY_UNCHECKED;
}

/* Returns true if the status describes the result. A status of 400 or more outweighs any error but a wall or a licence.
 * An error outweighs any other status. */
static bool is_about_status(const cw_survey_record *record)
{
    return !judge_is_walled(record) && !judge_asks_license(record) &&
           (record->status >= 400 || (record->status && !record->error.size));
}

enum { BEHIND_STATUSES = 1000, ERRORS = sizeof errors / sizeof *errors };

unsigned cw_survey_rank(const cw_survey_record *record)
{
    size_t error = find_error(record);
    if (is_about_status(record))
        return (unsigned)record->status;
    return BEHIND_STATUSES + (unsigned)(error < ERRORS || record->error.size ? error : ERRORS + 1);
}

cw_survey_cause cw_survey_answer_of_rank(unsigned rank)
{
    cw_survey_cause cause = {"Not asked for"};
    if (rank < BEHIND_STATUSES)
        snprintf(cause.text, sizeof cause.text, "%u %s", rank, judge_status_words((int)rank));
    else if (rank - BEHIND_STATUSES < ERRORS)
        snprintf(cause.text, sizeof cause.text, "%s", errors[rank - BEHIND_STATUSES].words);
    else if (rank - BEHIND_STATUSES == ERRORS)
        snprintf(cause.text, sizeof cause.text, "Another error");
    return cause;
}
