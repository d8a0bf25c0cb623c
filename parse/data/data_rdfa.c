/* RDFa Lite 1.1: vocab, typeof, property, resource and prefix, with the values of HTML+RDFa 1.1 (content, datetime,
 * href, src). Names are looked up at the element that has them: the nearest vocab and prefix around it apply. A name
 * about the page itself, outside any item, is dropped: on nearly all pages that is OpenGraph. */
#include "base/bytes.h"
#include "parse/data/data_items.h"

/* The prefixes that need no declaration (RDFa Core Initial Context), of vocabularies that pages use. */
static const struct {
    const char *prefix;
    const char *iri;
} initial[] = {
    {"cc", "http://creativecommons.org/ns#"},
    {"ctag", "http://commontag.org/ns#"},
    {"dc", "http://purl.org/dc/terms/"},
    {"dc11", "http://purl.org/dc/elements/1.1/"},
    {"dcterms", "http://purl.org/dc/terms/"},
    {"foaf", "http://xmlns.com/foaf/0.1/"},
    {"gr", "http://purl.org/goodrelations/v1#"},
    {"ical", "http://www.w3.org/2002/12/cal/icaltzd#"},
    {"og", "http://ogp.me/ns#"},
    {"owl", "http://www.w3.org/2002/07/owl#"},
    {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
    {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
    {"rev", "http://purl.org/stuff/rev#"},
    {"schema", "http://schema.org/"},
    {"sioc", "http://rdfs.org/sioc/ns#"},
    {"skos", "http://www.w3.org/2004/02/skos/core#"},
    {"v", "http://rdf.data-vocabulary.org/#"},
    {"vcard", "http://www.w3.org/2006/vcard/ns#"},
    {"xsd", "http://www.w3.org/2001/XMLSchema#"},
};

/* A resource by itself begins an item too, unless it is the value of a property. */
static bool data_rdfa_is_item(cw_data_reader *r, const xmlNode *element)
{
    return cw_data_has(r, element, "typeof") ||
           (cw_data_has(r, element, "resource") && !cw_data_has(r, element, "property"));
}

/* Returns the element around this one. NULL: it is the outermost. */
static const xmlNode *around(const xmlNode *element)
{
    const xmlNode *parent = element->parent;
    return parent && parent->type == XML_ELEMENT_NODE ? parent : NULL;
}

static bool data_rdfa_is_top(cw_data_reader *r, const xmlNode *element)
{
    if (!cw_data_has(r, element, "property"))
        return true;
    for (const xmlNode *at = around(element); at && cw_data_step(r); at = around(at))
        if (data_rdfa_is_item(r, at))
            return false;
    return true;
}

/* ---- names ---- */

/* Returns the IRI that `prefix` is declared as in the value of an attribute: "p: iri q: iri". Empty: it is not
 * declared. */
static crawl_slice declared_in(cw_data_reader *r, crawl_slice list, crawl_slice prefix)
{
    for (crawl_slice rest = cw_trim(list); rest.size && cw_data_step(r);) {
        crawl_slice name = cw_take_word(&rest, false);
        crawl_slice iri = cw_take_word(&rest, false);
        if (name.size == prefix.size + 1 && name.data[prefix.size] == ':' &&
            cw_equal_nocase(crawl_slice_of(name.data, prefix.size), prefix))
            return iri;
    }
    return (crawl_slice){0};
}

static crawl_slice initial_iri(crawl_slice prefix)
{
    for (size_t i = 0; i < sizeof initial / sizeof *initial; i++)
        if (cw_is_nocase(prefix, initial[i].prefix))
            return crawl_slice_from(initial[i].iri);
    return (crawl_slice){0};
}

static crawl_slice prefix_iri(cw_data_reader *r, const xmlNode *element, crawl_slice prefix)
{
    for (const xmlNode *at = element; at && cw_data_step(r); at = around(at)) {
        crawl_slice found = declared_in(r, cw_data_attribute(r, at, "prefix"), prefix);
        if (found.size)
            return found;
    }
    return initial_iri(prefix);
}

static crawl_slice vocab_of(cw_data_reader *r, const xmlNode *element)
{
    for (const xmlNode *at = element; at && cw_data_step(r); at = around(at))
        if (cw_data_has(r, at, "vocab"))
            return cw_trim(cw_data_attribute(r, at, "vocab"));
    return (crawl_slice){0};
}

static void append_two(cw_data_reader *r, crawl_slice first, crawl_slice second, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, first.data, first.size);
    if (!err)
        err = crawl_buf_append(out, second.data, second.size);
    if (err)
        r->out.err = err;
}

/* Expands a term, which needs a vocabulary; a name with a prefix; or an IRI (RDFa Core, 7.4). */
static void data_rdfa_expand(cw_data_reader *r, const xmlNode *element, crawl_slice word, crawl_buf *out)
{
    size_t colon = cw_find_char(word, ':');
    if (colon == word.size) {
        crawl_slice vocab = vocab_of(r, element);
        if (vocab.size)
            append_two(r, vocab, word, out);
        return;
    }
    crawl_slice local = cw_drop(word, colon + 1);
    crawl_slice iri = {0};
    if (!cw_starts_with(local, "//"))
        iri = prefix_iri(r, element, crawl_slice_of(word.data, colon));
    append_two(r, iri.size ? iri : word, iri.size ? local : (crawl_slice){0}, out);
}

/* ---- values ---- */

/* Returns the first of these attributes, a list ended by NULL, that the element has. NULL: it has none. */
static const char *data_rdfa_first_of(cw_data_reader *r, const xmlNode *element, const char *const *names)
{
    while (*names && !cw_data_has(r, element, *names))
        names++;
    return *names;
}

/* Returns the subject that a resource, href or src names: a URL, or a node without one, "_:a", unchanged. */
static crawl_slice reference(cw_data_reader *r, const xmlNode *element)
{
    static const char *const names[] = {"resource", "href", "src", NULL};
    const char *name = data_rdfa_first_of(r, element, names);
    crawl_slice text = name ? cw_trim(cw_data_attribute(r, element, name)) : (crawl_slice){0};
    return !name || cw_starts_with(text, "_:") ? text : cw_data_url(r, text);
}

static void data_rdfa_put_value(cw_data_reader *r, const xmlNode *element)
{
    static const char *const literals[] = {"content", "datetime", NULL};
    const char *literal = data_rdfa_first_of(r, element, literals);
    crawl_slice value = literal ? cw_data_attribute(r, element, literal) : reference(r, element);
    cw_data_put_text(r, literal || value.size ? value : cw_data_text(r, element));
}

const cw_data_syntax cw_data_rdfa = {
    .key = ",\"rdfa\":[",
    .types = "typeof",
    .names = "property",
    .is_item = data_rdfa_is_item,
    .is_top = data_rdfa_is_top,
    .put_value = data_rdfa_put_value,
    .expand = data_rdfa_expand,
    .id = reference,
};
