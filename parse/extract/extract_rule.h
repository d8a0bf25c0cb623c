/* Parsed rules: sections with patterns of URLs, and fields that were read from "SELECTOR -> WORDS". */
#pragma once

#include <crawl/extract.h>

#include <pcre2.h>

/* The part taken of a node, before conversion to a number, a date or a URL. */
typedef enum cw_extract_source {
    CW_EXTRACT_DEFAULT, /* text; for a conversion, the element's own source, see extract_value.c */
    CW_EXTRACT_TEXT,    /* white space collapsed */
    CW_EXTRACT_STRING,  /* unchanged */
    CW_EXTRACT_HTML,
    CW_EXTRACT_ATTRIBUTE
} cw_extract_source;

typedef enum cw_extract_form {
    CW_EXTRACT_AS_IT_IS,
    CW_EXTRACT_NUMBER,
    CW_EXTRACT_DATE,
    CW_EXTRACT_URL
} cw_extract_form;

typedef struct cw_extract_rule {
    size_t section;
    char *name;  /* "price", "offers.price" */
    char *xpath; /* of the selector */
    cw_extract_source source;
    cw_extract_form form;
    char *attribute;   /* lower case; NULL: none */
    pcre2_code *regex; /* NULL: none */
    bool is_all;
    bool is_required;
    bool is_group;
    long group; /* index of the rule of its group; -1: not a member */
} cw_extract_rule;

typedef struct cw_extract_section {
    char *name;
    pcre2_code **patterns;
    size_t pattern_count;
} cw_extract_section;

struct crawl_rules {
    cw_extract_section *sections;
    size_t section_count;
    cw_extract_rule *rules;
    size_t count;
};

/* Returns the name of a member without that of its group. */
crawl_slice cw_extract_name(const cw_extract_rule *rule);

/* Reads "SELECTOR -> WORDS" into *rule. The rule owns everything created, even after a failure. */
crawl_err cw_extract_rule_read(crawl_slice text, cw_extract_rule *rule, crawl_error *error);
void cw_extract_rule_free(cw_extract_rule *rule);

/* Compiles a PCRE2 pattern of UTF-8. CRAWL_EPARSE: error says why. CRAWL_ENOMEM. */
crawl_err cw_extract_pattern(crawl_slice text, pcre2_code **out, crawl_error *error);
