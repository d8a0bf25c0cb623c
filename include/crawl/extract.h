/* Extracts values from pages by rules: "the title is the text of h1, the price the number in .price". docs/extract.md
 * describes the language of the rules. */
#ifndef CRAWL_EXTRACT_H
#define CRAWL_EXTRACT_H

#include <crawl/tree.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the XPath 1.0 expression that selects the elements matched by a list of CSS selectors, from a node and below
 * it, in document order. Supports selectors of level 3 without namespaces; :has, :is, :where, :not with lists,
 * :nth-child(... of S), [a=b i], :any-link and :scope of level 4, where :scope begins a selector and is the node; and
 * jQuery's :contains("text"). A selector may end in ::text or ::attr(NAME), which select the texts and the attribute of
 * its elements. Names of elements and attributes are lower-cased, as in an HTML page. CRAWL_EPARSE: not a selector, or
 * :nth-of-type and similar without an element name before; error says why and has the column in bytes. Also for more
 * than 4096 bytes, or more than 16 levels of parentheses. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_select_xpath(crawl_slice css, crawl_buf *xpath, crawl_error *error);

/* Maxima per page, besides those of its tree (<crawl/tree.h>). Each guards against a page made to exhaust the crawler.
 * Anything beyond is left out. */
#define CRAWL_EXTRACT_MAX_STEPS 20000000u           /* XPath steps of all rules together: about a second */
#define CRAWL_EXTRACT_MAX_PAIRS (UINT64_C(1) << 32) /* node pairs XPath may compare, likewise: about two seconds */
#define CRAWL_EXTRACT_MAX_VALUES 10000u             /* values of a field with "all", and objects of a group */
#define CRAWL_EXTRACT_MAX_BYTES (1u << 20)          /* bytes of a field's values as JSON */

/* Rules: sections, each with URL patterns and with fields. Single-threaded while rules are added, then immutable and
 * thread-safe. */
typedef struct crawl_rules crawl_rules;

/* NULL: out of memory. */
CRAWL_API crawl_rules *crawl_rules_create(void);
CRAWL_API void crawl_rules_free(crawl_rules *rules);

/* Adds "key = value" to the section [extract NAME], which is created if needed. Either key is "pages" and value a PCRE2
 * pattern: one of the section's patterns must be found in the URL of a page (a section without patterns applies to all
 * pages). Or key is "field.NAME" or "field.GROUP.NAME", and value "SELECTOR -> WORDS". CRAWL_EPARSE: neither of these,
 * or the field exists already; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_rules_add(crawl_rules *rules, crawl_slice section, crawl_slice key, crawl_slice value,
                                    crawl_error *error);

/* A field, borrowed from its rules. */
typedef struct crawl_rule {
    crawl_slice section;
    crawl_slice name;  /* "price", or "offers.price" in a group */
    crawl_slice xpath; /* its selector as XPath */
    bool is_group;
    bool is_member; /* of a group, which precedes it */
    bool is_required;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_rule;

/* Returns a field by its index: in the order of sections, then in the order in which fields were added. False: no such
 * index. */
CRAWL_API bool crawl_rules_at(const crawl_rules *rules, size_t index, crawl_rule *out);

/* Applies rules to one page after another, reusing its memory. Single-threaded. */
typedef struct crawl_extraction crawl_extraction;

/* The rules are borrowed. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_extraction_create(const crawl_rules *rules, crawl_extraction **out);
CRAWL_API void crawl_extraction_free(crawl_extraction *extraction);

/* A page to be read. */
typedef struct crawl_extract_page {
    size_t size; /* sizeof(crawl_extract_page) */
    crawl_slice html;
    const char *charset;   /* WHATWG name; NULL: as determined by crawl_charset_sniff */
    crawl_slice url;       /* matched against "pages" */
    const crawl_url *base; /* base of relative links; NULL: none, and a relative link is not a value */
    crawl_tree *tree;      /* of html and charset, shared with others that read the page; NULL: uses one of its own */
} crawl_extract_page;

/* Applies the rules and discards the results of an earlier call. No input makes it fail; only CRAWL_ENOMEM. Builds no
 * tree of the page if no section applies to its URL. */
CRAWL_API crawl_err crawl_extraction_run(crawl_extraction *extraction, const crawl_extract_page *page);

/* Returns the values found as JSON, {"SECTION":{"NAME":VALUE,...},...}: null for a field without a value, a list for
 * "all", a list of objects for a group. Leaves out a section in which nothing was found and nothing is required. Empty:
 * nothing was found. */
CRAWL_API crawl_slice crawl_extraction_json(const crawl_extraction *extraction);

/* Returns the number of nodes that the selector of a field matched; for a member, in all objects of its group. */
CRAWL_API size_t crawl_extraction_matches(const crawl_extraction *extraction, size_t index);

/* Returns the value of a field as JSON; empty: it has no value, or is a member. */
CRAWL_API crawl_slice crawl_extraction_value(const crawl_extraction *extraction, size_t index);

/* Returns true if this field is required and was not found, although its section applies to the page. */
CRAWL_API bool crawl_extraction_is_missing(const crawl_extraction *extraction, size_t index);

/* Returns the missing required fields as a JSON list of "SECTION.NAME"; empty: none is missing. */
CRAWL_API crawl_slice crawl_extraction_missing(const crawl_extraction *extraction);

/* Returns true if the page exceeded a maximum above, or a selector took too many steps. */
CRAWL_API bool crawl_extraction_is_cut(const crawl_extraction *extraction);

#ifdef __cplusplus
}
#endif
#endif
