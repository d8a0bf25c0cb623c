#include "fetch/identity/signature_base.h"

#include "base/header.h"
#include "base/structured.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "fetch/identity/public_key.h"

#include <openssl/evp.h>

/* ---- the parts of a URL ---- */

typedef struct url_parts {
    crawl_slice scheme, host; /* in any case; without user info */
    crawl_slice port;         /* with its colon; empty: the default one */
    crawl_slice path, query;  /* the query with its "?"; both may be empty */
} url_parts;

/* Cuts the port off a host, and drops the default one of the scheme. */
static void cut_url_port(url_parts *parts)
{
    crawl_slice host = parts->host;
    size_t colon = cw_find_last(host, ':');
    bool has_port = colon < host.size && cw_find_char(cw_drop(host, colon), ']') == host.size - colon;
    if (!has_port)
        return;
    crawl_slice port = cw_drop(host, colon);
    const char *usual = cw_is_nocase(parts->scheme, "https") ? ":443" : ":80";
    parts->host = crawl_slice_of(host.data, colon);
    parts->port = port.size == 1 || cw_is(port, usual) ? (crawl_slice){0} : port;
}

static bool has_space(crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f)
            return true;
    return false;
}

static bool cut_url(crawl_slice url, url_parts *parts)
{
    size_t scheme = cw_find_text(url, "://");
    *parts = (url_parts){.scheme = crawl_slice_of(url.data, scheme)};
    if (scheme == url.size || has_space(url) ||
        !(cw_is_nocase(parts->scheme, "https") || cw_is_nocase(parts->scheme, "http")))
        return false;
    crawl_slice rest = cw_drop(url, scheme + strlen("://"));
    rest.size = cw_find_char(rest, '#');
    parts->host = cw_take(&rest, cw_find_any(rest, "/?"));
    size_t user = cw_find_last(parts->host, '@');
    if (user < parts->host.size)
        parts->host = cw_drop(parts->host, user + 1);
    cut_url_port(parts);
    parts->path = cw_take(&rest, cw_find_char(rest, '?'));
    parts->query = rest;
    return parts->host.size > 0;
}

/* ---- values of components ---- */

static void put_lower(cw_writer *to, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        cw_put_char(to, (char)cw_lower((unsigned char)text.data[i]));
}

static void put_authority(cw_writer *to, const crawl_message *, const url_parts *parts)
{
    put_lower(to, parts->host);
    cw_put(to, parts->port);
}

static void put_url_path(cw_writer *to, const crawl_message *, const url_parts *parts)
{
    cw_put(to, parts->path.size ? parts->path : crawl_slice_from("/"));
}

static void put_query(cw_writer *to, const crawl_message *, const url_parts *parts)
{
    cw_put(to, parts->query.size ? parts->query : crawl_slice_from("?"));
}

static void put_scheme(cw_writer *to, const crawl_message *, const url_parts *parts)
{
    put_lower(to, parts->scheme);
}

static void put_url(cw_writer *to, const crawl_message *message, const url_parts *parts)
{
    put_scheme(to, message, parts);
    cw_put_text(to, "://");
    put_authority(to, message, parts);
    put_url_path(to, message, parts);
    cw_put(to, parts->query);
}

static void put_method(cw_writer *to, const crawl_message *message, const url_parts *)
{
    cw_put(to, message->method.size ? message->method : crawl_slice_from("GET"));
}

/* RFC 9421, 2.2. @request-target differs in HTTP/2, and @query-param and @status are not used. */
static const struct {
    const char *name;
    void (*put)(cw_writer *to, const crawl_message *message, const url_parts *parts);
} derived[] = {
    {"@authority", put_authority}, {"@method", put_method}, {"@path", put_url_path},
    {"@query", put_query},         {"@scheme", put_scheme}, {"@target-uri", put_url},
};

static const char *put_derived(cw_writer *to, const cw_identity_component *component, const crawl_message *message,
                               const url_parts *parts)
{
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (cw_is(component->name, derived[i].name)) {
            derived[i].put(to, message, parts);
            return component->key.data || component->of_request != message->is_answer
                       ? "a component has parameters that it cannot have"
                       : NULL;
        }
    return "a component of another kind is covered";
}

bool cw_identity_field(const crawl_message *message, crawl_slice name, crawl_buf *out, crawl_err *err)
{
    bool found = false;
    for (size_t i = 0; i < message->header_count && !*err; i++) {
        const crawl_header *header = &message->headers[i];
        if (!cw_equal_nocase(header->name, name))
            continue;
        crawl_slice value = cw_trim(header->value);
        *err = found ? crawl_buf_append_text(out, ", ") : crawl_buf_reserve(out, 1);
        if (!*err)
            *err = crawl_buf_append(out, value.data, value.size);
        found = true;
    }
    return found;
}

/* Serializes only a bare String: no signature covers a member of another type. */
static const char *put_member(cw_writer *to, crawl_slice field, crawl_slice key)
{
    cw_structured at;
    cw_structured_item item;
    char name[64];
    if (key.size >= sizeof name || !cw_structured_open(field, CW_STRUCTURED_DICTIONARY, &at))
        return "a member of a field is covered, and the field is not a Dictionary";
    memcpy(name, key.data, key.size);
    name[key.size] = '\0';
    if (!cw_structured_member(at, name, &item))
        return "a covered member of a field is missing";
    if (item.value.type != CW_STRUCTURED_STRING || item.parameters.size)
        return "a covered member of a field is not a plain String";
    cw_put_char(to, '"');
    cw_put(to, item.value.text);
    cw_put_char(to, '"');
    return NULL;
}

static const char *put_covered_field(cw_writer *to, const cw_identity_component *component,
                                     const crawl_message *message)
{
    crawl_buf value = {0};
    const char *why = component->of_request ? "a field of the request is covered in its answer" : NULL;
    if (!why && !cw_identity_field(message, component->name, &value, &to->err))
        why = "a covered field is missing";
    if (!why && !cw_is_field_text(crawl_buf_slice(&value)))
        why = "a covered field contains control characters";
    if (!why && component->key.data)
        why = put_member(to, crawl_buf_slice(&value), component->key);
    else if (!why)
        cw_put(to, crawl_buf_slice(&value));
    crawl_buf_free(&value);
    return why;
}

/* ---- the list of components ---- */

static void put_name(cw_writer *to, const cw_identity_component *component)
{
    cw_put_char(to, '"');
    cw_put(to, component->name);
    cw_put_char(to, '"');
    if (component->of_request)
        cw_put_text(to, ";req");
    if (!component->key.data)
        return;
    cw_put_text(to, ";key=\"");
    cw_put(to, component->key);
    cw_put_char(to, '"');
}

crawl_err cw_identity_cover_write(const cw_identity_cover *cover, crawl_buf *out)
{
    cw_writer to = {.out = out};
    cw_put_char(&to, '(');
    for (size_t i = 0; i < cover->count; i++) {
        if (i)
            cw_put_char(&to, ' ');
        put_name(&to, &cover->items[i]);
    }
    cw_put_char(&to, ')');
    return to.err;
}

bool cw_identity_cover_has(const cw_identity_cover *cover, const char *name)
{
    for (size_t i = 0; i < cover->count; i++)
        if (cw_is(cover->items[i].name, name))
            return true;
    return false;
}

bool cw_identity_cover_repeats(const cw_identity_cover *cover, const cw_identity_component *component)
{
    for (size_t i = 0; i < cover->count; i++) {
        const cw_identity_component *other = &cover->items[i];
        if (crawl_slice_equal(other->name, component->name) && crawl_slice_equal(other->key, component->key) &&
            !other->key.data == !component->key.data && other->of_request == component->of_request)
            return true;
    }
    return false;
}

/* ---- the base ---- */

crawl_err cw_identity_base(const cw_identity_cover *cover, const crawl_message *message, crawl_slice params,
                           crawl_buf *out, const char **why)
{
    url_parts parts;
    cw_writer to = {.out = out};
    size_t start = out->size;
    if (!cut_url(message->url, &parts))
        return CRAWL_EINVAL;
    *why = NULL;
    for (size_t i = 0; i < cover->count && !*why; i++) {
        const cw_identity_component *component = &cover->items[i];
        put_name(&to, component);
        cw_put_text(&to, ": ");
        *why = cw_starts_with(component->name, "@") ? put_derived(&to, component, message, &parts)
                                                    : put_covered_field(&to, component, message);
        cw_put_char(&to, '\n');
    }
    cw_put_text(&to, "\"@signature-params\": ");
    cw_put(&to, params);
    if (to.err)
        return to.err;
    if (!*why && !cw_utf8_is_ascii(crawl_slice_of(out->data + start, out->size - start)))
        *why = "the covered text contains bytes beyond ASCII";
    return *why ? CRAWL_EPARSE : CRAWL_OK;
}

crawl_err cw_identity_digest(crawl_slice body, crawl_buf *out)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (!cw_identity_has_crypto() ||
        EVP_Digest(body.size ? body.data : "", body.size, digest, &size, EVP_sha256(), NULL) != 1)
        return CRAWL_ENOMEM;
    crawl_err err = crawl_buf_append_text(out, "sha-256=:");
    if (!err)
        err = cw_base64_append(crawl_slice_of(digest, size), out);
    return err ? err : crawl_buf_append_char(out, ':');
}
