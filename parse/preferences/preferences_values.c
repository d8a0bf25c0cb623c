/* Values that say what a page may be used for, each by the grammar of its kind, and the tables of the labels of each
 * kind. Drafts change: a new label is a new row. */
#include "parse/preferences/preferences.h"

#include "base/bytes.h"
#include "base/structured.h"

enum { TRAIN = 1 << CRAWL_USE_TRAIN, INPUT = 1 << CRAWL_USE_INPUT, SEARCH = 1 << CRAWL_USE_SEARCH };

typedef struct use_label {
    const char *name;
    unsigned uses;
    bool is_retired;
} use_label;

/* draft-ietf-aipref-vocab-08, and the labels of earlier drafts, which no longer have an effect. */
static const use_label usage_labels[] = {
    {"train-ai", TRAIN, false}, {"ai-use", INPUT, false}, {"search", SEARCH, false}, {"all", 0, true},
    {"tdm", 0, true},           {"bots", 0, true},        {"ai", 0, true},           {"genai", 0, true},
    {"inference", 0, true},     {"train-genai", 0, true}, {"ai-output", 0, true},    {NULL, 0, false},
};

/* contentsignals.org. */
static const use_label signal_labels[] = {
    {"ai-train", TRAIN, false}, {"ai-input", INPUT, false}, {"search", SEARCH, false},
    {"use", 0, false},          {NULL, 0, false},
};

/* Of meta robots and X-Robots-Tag. */
static const use_label word_labels[] = {
    {"noai", TRAIN | INPUT, false},
    {"noimageai", 0, false},
    {NULL, 0, false},
};

static const use_label *label_of(const use_label *labels, crawl_slice name)
{
    for (; labels->name; labels++)
        if (cw_is_nocase(name, labels->name))
            return labels;
    return NULL;
}

/* --- Content-Usage --- */

/* Only the tokens "y" and "n" have a meaning; the case of a token counts. */
static crawl_err add_usage_member(crawl_preferences *preferences, cw_preferences_said said,
                                  const cw_structured_item *member)
{
    const use_label *label = label_of(usage_labels, member->key);
    bool is_token = member->value.type == CW_STRUCTURED_TOKEN;
    bool yes = is_token && cw_is(member->value.text, "y");
    bool no = is_token && cw_is(member->value.text, "n");
    if (!label || (!yes && !no))
        return CRAWL_OK;
    said.label = member->key;
    said.value = member->value.text;
    said.ignored = label->is_retired ? "label" : said.ignored;
    said.refuses = no ? label->uses : 0;
    said.grants = yes ? label->uses : 0;
    return cw_preferences_add(preferences, &said);
}

crawl_err cw_preferences_add_usage(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value)
{
    cw_structured at;
    crawl_err err = CRAWL_OK;
    if (!cw_structured_open(value, CW_STRUCTURED_DICTIONARY, &at))
        return CRAWL_OK;
    for (const use_label *label = usage_labels; label->name && !err; label++) {
        cw_structured_item member;
        if (cw_structured_member(at, label->name, &member))
            err = add_usage_member(preferences, said, &member);
    }
    return err;
}

void cw_preferences_usage_faults(const cw_preferences_faults *faults, crawl_slice value)
{
    cw_structured at;
    cw_structured_item member;
    if (!cw_structured_open(value, CW_STRUCTURED_DICTIONARY, &at)) {
        faults->on_fault(faults->user, faults->line, value, "not a Dictionary (RFC 9651), so all of it is ignored");
        return;
    }
    while (cw_structured_next(&at, &member)) {
        const use_label *label = label_of(usage_labels, member.key);
        bool is_known = member.value.type == CW_STRUCTURED_TOKEN &&
                        (cw_is(member.value.text, "y") || cw_is(member.value.text, "n"));
        const char *why = !label              ? "not a label of Content-Usage"
                          : label->is_retired ? "a label that a later draft dropped"
                          : !is_known         ? "the value is neither y nor n"
                                              : NULL;
        if (why)
            faults->on_fault(faults->user, faults->line, member.key, why);
    }
}

/* --- Content-Signal --- */

crawl_err cw_preferences_add_signal(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value)
{
    crawl_err err = CRAWL_OK;
    while (value.size && !err) {
        crawl_slice part = cw_cut(&value, ',');
        crawl_slice name = cw_trim(cw_cut(&part, '='));
        const use_label *label = label_of(signal_labels, name);
        said.value = cw_trim(part);
        if (!label || !said.value.size)
            continue;
        bool yes = cw_is_nocase(said.value, "yes");
        bool no = cw_is_nocase(said.value, "no");
        said.label = crawl_slice_from(label->name);
        said.ignored = label->uses && !yes && !no ? "value" : NULL;
        said.refuses = no ? label->uses : 0;
        said.grants = yes ? label->uses : 0;
        err = cw_preferences_add(preferences, &said);
    }
    return err;
}

void cw_preferences_signal_faults(const cw_preferences_faults *faults, crawl_slice value)
{
    while (value.size) {
        crawl_slice part = cw_trim(cw_cut(&value, ','));
        crawl_slice rest = part;
        const use_label *label = label_of(signal_labels, cw_trim(cw_cut(&rest, '=')));
        rest = cw_trim(rest);
        bool is_known = cw_is_nocase(rest, "yes") || cw_is_nocase(rest, "no");
        const char *why = !label                     ? "not a label of Content-Signal"
                          : label->uses && !is_known ? "the value is neither yes nor no"
                                                     : NULL;
        if (why && part.size)
            faults->on_fault(faults->user, faults->line, part, why);
    }
}

/* --- TDMRep --- */

bool cw_preferences_is_tdm(crawl_slice name)
{
    return cw_is_nocase(name, "tdm-reservation") || cw_is_nocase(name, "tdm-policy");
}

crawl_err cw_preferences_add_tdm(crawl_preferences *preferences, cw_preferences_said said, crawl_slice value)
{
    bool is_policy = cw_is_nocase(said.label, "tdm-policy");
    bool is_said = is_policy ? value.size > 0 : cw_is(value, "1") || cw_is(value, "0");
    said.label = crawl_slice_from(is_policy ? "tdm-policy" : "tdm-reservation");
    said.value = value;
    said.refuses = !is_policy && cw_is(value, "1") ? TRAIN | INPUT : 0;
    said.grants = !is_policy && cw_is(value, "0") ? TRAIN | INPUT : 0;
    return is_said ? cw_preferences_add(preferences, &said) : CRAWL_OK;
}

/* --- words for robots --- */

crawl_err cw_preferences_add_words(crawl_preferences *preferences, cw_preferences_said said, crawl_slice words)
{
    crawl_err err = CRAWL_OK;
    said.ignored = said.agent.size && !cw_preferences_is_own(preferences, said.agent) ? "agent" : NULL;
    while (words.size && !err) {
        const use_label *label = label_of(word_labels, cw_take_word(&words, true));
        if (!label)
            continue;
        said.label = crawl_slice_from(label->name);
        said.refuses = label->uses;
        err = cw_preferences_add(preferences, &said);
    }
    return err;
}
