/* The schema of the configuration: one row per key. The parsers of files and options, --help and --print-config are all
 * derived from it. Immutable. */
#pragma once

#include "config/config_values.h"

typedef enum cw_config_type {
    CW_BOOL,
    CW_UINT,     /* digits */
    CW_COUNT,    /* 10k 5M 1G */
    CW_SIZE,     /* 64KiB 1MiB, or plain bytes */
    CW_RATE,     /* 200k 2M 1MiB, or plain bytes, per second */
    CW_DURATION, /* 250ms 5s 2m 1h 7d; milliseconds in the structure */
    CW_PERCENT,  /* 30% */
    CW_DOUBLE,
    CW_ENUM,       /* one of choices */
    CW_FLAGS,      /* any of choices; their values are bits */
    CW_STRING,     /* without control characters, as it goes into headers */
    CW_HEADERS,    /* the same: names of headers, separated by spaces or commas */
    CW_NAMES,      /* the same: at most CRAWL_PAGE_MAX_LAZY words, for crawl_page_set_lazy */
    CW_TOKEN,      /* RFC 9309, 2.2.1: letters, "-" and "_" */
    CW_PATH,       /* any bytes */
    CW_PROXY,      /* scheme://[user:password@]host:port */
    CW_ROUTE,      /* CW_PROXY, or "direct" */
    CW_LISTEN,     /* as for crawl_listen_parse */
    CW_RULE,       /* a pattern, added to crawl_config.rules */
    CW_PATTERN,    /* a pattern, added to crawl_texts */
    CW_COMMAND,    /* "type/subtype=COMMAND", added to crawl_texts */
    CW_SELECTOR,   /* as for crawl_select_xpath, added to crawl_texts */
    CW_MEDIA_TYPE, /* "type/subtype", added to crawl_texts */
    CW_TARGET,     /* an http or https URL, added to crawl_texts */
    CW_HEADER,     /* "Name: value", added to crawl_texts; sent to one host */
    CW_COMMON,     /* the same, sent to all hosts */
    CW_CONFIG_TYPE_COUNT
} cw_config_type;

/* A word and its value; {0} ends a list. */
typedef struct cw_config_choice {
    const char *word;
    int value;
} cw_config_choice;

typedef struct cw_config_key {
    const char *section;
    const char *name;
    cw_config_type type;
    size_t offset; /* of the field in crawl_config or crawl_host_config, with its size; unused for rules */
    size_t size;
    const char *fallback; /* the default as written in a file; NULL: not set */
    const char *min;      /* range of a number, as written in a file; NULL: none */
    const char *max;
    const cw_config_choice *choices; /* the words; NULL: see `word` */
    const char *(*word)(int value);  /* returns the word of each value from 0 on, NULL after the last; see
                                        cw_config_key_choice */
    const char *option;              /* the option without dashes; NULL: none */
    char letter;                     /* the option's letter: "-d"; 0: none */
    const char *argument;            /* the name of the option's value in --help; NULL: a flag */
    const char *help;                /* one line */
    const char *third;               /* for a CW_BOOL: the word for 2, besides those for true and false; NULL: none */
    bool versioned;                  /* appends "/VERSION" to the default */
    bool include;                    /* for a rule: include rather than exclude */
    bool changeable;                 /* in a running crawl: SIGHUP reads it again */
    bool secret;                     /* never printed */
} cw_config_key;

/* A flag that sets a key to one value, such as --quiet. */
typedef struct cw_config_flag {
    const char *option;
    char letter;
    const char *section;
    const char *name;
    const char *value;
    const char *help;
} cw_config_flag;

/* Maximum number of rows, including those of hosts, for tables with an entry per row. */
#define CW_CONFIG_SCHEMA_MAX 224u
/* Maximum number of rows of hosts. */
#define CW_CONFIG_SCHEMA_HOST_MAX 32u

/* Returns all rows except those of hosts, grouped by section; *count is their number. */
const cw_config_key *cw_config_schema(size_t *count);
/* Returns the keys of a [host NAME] section, whose fields are those of crawl_host_config; their section is "host". */
const cw_config_key *cw_config_schema_host(size_t *count);
const cw_config_flag *cw_config_schema_flags(size_t *count);

/* Finds the row of a key; NULL: unknown. The names are slices, since they are parts of a file. */
const cw_config_key *cw_config_schema_find(crawl_slice section, crawl_slice name);
/* As cw_config_schema_find, for a full name, "section.name". */
const cw_config_key *cw_config_schema_find_full(crawl_slice full);
bool cw_config_schema_has_section(crawl_slice section);

/* Returns the key's words by index, from 0 on; word is NULL after the last, and for a key without words. */
cw_config_choice cw_config_key_choice(const cw_config_key *key, size_t index);

/* Return true if the type is a list of headers, a list of texts; one text, owned by the object. */
static inline bool cw_config_key_is_headers(const cw_config_key *key)
{
    return key->type == CW_HEADER || key->type == CW_COMMON;
}

static inline bool cw_config_key_is_list(const cw_config_key *key)
{
    return cw_config_key_is_headers(key) || key->type == CW_PATTERN || key->type == CW_SELECTOR ||
           key->type == CW_MEDIA_TYPE || key->type == CW_COMMAND || key->type == CW_TARGET;
}

/* Returns the field of a row, in a crawl_config or a crawl_host_config. */
static inline void *cw_config_field_of(const cw_config_key *key, void *object)
{
    return (char *)object + key->offset;
}

static inline bool cw_config_key_is_text(const cw_config_key *key)
{
    return key->type == CW_STRING || key->type == CW_NAMES || key->type == CW_HEADERS || key->type == CW_TOKEN ||
           key->type == CW_PATH || key->type == CW_PROXY || key->type == CW_ROUTE || key->type == CW_LISTEN;
}

/* Appends the default as text to *out; nothing for a key without one. CRAWL_ENOMEM. */
crawl_err cw_config_schema_default(const cw_config_key *key, crawl_buf *out);
