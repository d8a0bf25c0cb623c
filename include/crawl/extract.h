/* Values out of pages, by rules: "the title is the text of h1, the price the number in .price". docs/extract.md has the
 * language of the rules. */
#ifndef CRAWL_EXTRACT_H
#define CRAWL_EXTRACT_H

#include <crawl/tree.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the XPath 1.0 expression that selects the elements which a list of CSS selectors matches, from a node and
 * what is below it, in the order of the document: selectors of level 3 without namespaces, and :has, :is, :where, :not
 * with lists, :nth-child(... of S), [a=b i], :any-link and :scope of level 4, where :scope begins a selector and is the
 * node, and jQuery's :contains("text"). A selector may end in ::text or ::attr(NAME), which select the texts and the
 * attribute of its elements. Names of elements and attributes are lower-cased, as in a page of HTML. CRAWL_EPARSE: no
 * such selector, or :nth-of-type and the like without the name of an element before; error says why, and has the column
 * in bytes. Of more than 4096 bytes, or 16 levels of parentheses, it is CRAWL_EPARSE too. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_select_xpath(crawl_slice css, crawl_buf *xpath, crawl_error *error);

/* Maxima of one page, besides those of its tree (<crawl/tree.h>), each against a page made to exhaust the crawler. The
 * rest is left out. */
#define CRAWL_EXTRACT_MAX_STEPS 20000000u           /* of XPath, of all rules together: about a second */
#define CRAWL_EXTRACT_MAX_PAIRS (UINT64_C(1) << 32) /* of nodes that XPath may compare, likewise: about two seconds */
#define CRAWL_EXTRACT_MAX_VALUES 10000u             /* of a field with "all", and objects of a group */
#define CRAWL_EXTRACT_MAX_BYTES (1u << 20)          /* of its values as JSON */

/* Rules: sections, each with patterns of URLs and with fields. Single-thread while rules are added, immutable (and then
 * thread-safe) otherwise. */
typedef struct crawl_rules crawl_rules;

/* NULL: no memory. */
CRAWL_API crawl_rules *crawl_rules_create(void);
CRAWL_API void crawl_rules_free(crawl_rules *rules);

/* Adds "key = value" of the section [extract NAME], which is made if it is not there. key is "pages", and value a PCRE2
 * pattern, of which one must be found in the URL of a page (of a section without patterns all pages are taken); or key
 * is "field.NAME" or "field.GROUP.NAME", and value "SELECTOR -> WORDS". CRAWL_EPARSE: it is none of these, or the field
 * is there already; error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_rules_add(crawl_rules *rules, crawl_slice section, crawl_slice key, crawl_slice value,
                                    crawl_error *error);

/* A field, borrowed from its rules. */
typedef struct crawl_rule {
    crawl_slice section;
    crawl_slice name;  /* "price", or "offers.price" in a group */
    crawl_slice xpath; /* what its selector became */
    bool is_group;
    bool is_member; /* of a group, which stands before it */
    bool is_required;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_rule;

/* The fields in the order of their sections, and within one in that in which they were added. False: there is none with
 * this index. */
CRAWL_API bool crawl_rules_at(const crawl_rules *rules, size_t index, crawl_rule *out);

/* Applies rules, page after page; the memory is kept. Single-thread. */
typedef struct crawl_extraction crawl_extraction;

/* The rules are borrowed. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_extraction_create(const crawl_rules *rules, crawl_extraction **out);
CRAWL_API void crawl_extraction_free(crawl_extraction *extraction);

/* A page to be read. */
typedef struct crawl_extract_page {
    size_t size; /* sizeof(crawl_extract_page) */
    crawl_slice html;
    const char *charset;   /* WHATWG name; NULL: as crawl_charset_sniff says */
    crawl_slice url;       /* what "pages" is held against */
    const crawl_url *base; /* what links are resolved against; NULL: none, and a relative link is no value */
    crawl_tree *tree;      /* of html and charset, shared with others that read the page; NULL: one of its own */
} crawl_extract_page;

/* Applies the rules. Never fails for what the bytes are; CRAWL_ENOMEM alone. The results of an earlier call are gone.
 * No tree of the page is built where no section is for its URL. */
CRAWL_API crawl_err crawl_extraction_run(crawl_extraction *extraction, const crawl_extract_page *page);

/* The values found, as JSON, {"SECTION":{"NAME":VALUE,...},...}: null for a field without a value, a list where it says
 * "all", a list of objects for a group. A section in which nothing was found, and nothing required, is left out. Empty:
 * nothing was found at all. */
CRAWL_API crawl_slice crawl_extraction_json(const crawl_extraction *extraction);

/* How many nodes the selector of a field matched; of a member in all objects of its group. */
CRAWL_API size_t crawl_extraction_matches(const crawl_extraction *extraction, size_t index);

/* The value of a field as JSON; empty: it has none, or is a member. */
CRAWL_API crawl_slice crawl_extraction_value(const crawl_extraction *extraction, size_t index);

/* Is this field required, and was it not found, although its section is for the page? */
CRAWL_API bool crawl_extraction_is_missing(const crawl_extraction *extraction, size_t index);

/* The required fields that are missing, as a JSON list of "SECTION.NAME"; empty: none is. */
CRAWL_API crawl_slice crawl_extraction_missing(const crawl_extraction *extraction);

/* Was the page larger than a maximum above, or did a selector take too many steps? */
CRAWL_API bool crawl_extraction_is_cut(const crawl_extraction *extraction);

#ifdef __cplusplus
}
#endif
#endif
