/* Verifies the signature of a request, and that of a directory's answer (draft-ietf-webbotauth-httpsig-protocol-01,
 * over RFC 9421, 3.2). Of several signatures of a message the first with the right tag counts: proxies may have added
 * others. */
#include "base/sized.h"
#include "base/structured.h"
#include "fetch/identity/public_key.h"
#include "fetch/identity/signature_base.h"

#include <openssl/evp.h>

static const char request_tag[] = "web-bot-auth";
static const char directory_tag[] = "http-message-signatures-directory";

/* The parsed headers of a message. Slices are borrowed from the buffers. */
typedef struct signed_parts {
    crawl_buf inputs, signatures, agent;
    bool has_agent;
    cw_structured_item input; /* the signature's member of Signature-Input */
    cw_identity_cover cover;
    crawl_buf signature;
    int64_t created_s, expires_s;
    bool has_created, has_expires;
    cw_structured_value keyid, alg;
    bool has_keyid, has_alg;
} signed_parts;

static void free_signed_parts(signed_parts *parts)
{
    crawl_buf_free(&parts->inputs);
    crawl_buf_free(&parts->signatures);
    crawl_buf_free(&parts->agent);
    crawl_buf_free(&parts->signature);
}

/* ---- parsing ---- */

/* Returns true for a member with the tag and, if given, the key. */
static bool is_meant(const cw_structured_item *member, const char *tag, const char *keyid)
{
    cw_structured_value value;
    if (!cw_structured_find(member->parameters, "tag", &value) || value.type != CW_STRUCTURED_STRING ||
        !cw_is(value.text, tag))
        return false;
    return !keyid || (cw_structured_find(member->parameters, "keyid", &value) && value.type == CW_STRUCTURED_STRING &&
                      cw_is(value.text, keyid));
}

static bool take_time(crawl_slice parameters, const char *key, int64_t *seconds, bool *has)
{
    cw_structured_value value;
    *has = cw_structured_find(parameters, key, &value);
    *seconds = *has ? value.number : 0;
    return !*has || value.type == CW_STRUCTURED_INTEGER;
}

static bool take_text(crawl_slice parameters, const char *key, cw_structured_value *value, bool *has)
{
    *has = cw_structured_find(parameters, key, value);
    return !*has || value->type == CW_STRUCTURED_STRING;
}

static const char *read_component(const cw_structured_item *item, cw_identity_cover *cover)
{
    cw_identity_component component = {.name = item->value.text};
    crawl_slice parameters = item->parameters, key;
    cw_structured_value value;
    if (item->value.type != CW_STRUCTURED_STRING)
        return "a component is not a String";
    while (cw_structured_parameter(&parameters, &key, &value)) {
        if (cw_is(key, "key") && value.type == CW_STRUCTURED_STRING && value.text.size)
            component.key = value.text;
        else if (cw_is(key, "req") && value.type == CW_STRUCTURED_BOOLEAN && value.number)
            component.of_request = true;
        else
            return "a component has parameters that are not known";
    }
    if (component.key.data && component.of_request)
        return "a component has parameters that it cannot have";
    if (cw_identity_cover_repeats(cover, &component))
        return "a component is covered twice";
    if (cover->count == CW_IDENTITY_MAX_COMPONENTS)
        return "more components are covered than a request has";
    cover->items[cover->count++] = component;
    return NULL;
}

static const char *read_parameters(signed_parts *parts)
{
    crawl_slice parameters = parts->input.parameters;
    bool fit = take_time(parameters, "created", &parts->created_s, &parts->has_created) &&
               take_time(parameters, "expires", &parts->expires_s, &parts->has_expires) &&
               take_text(parameters, "keyid", &parts->keyid, &parts->has_keyid) &&
               take_text(parameters, "alg", &parts->alg, &parts->has_alg);
    return fit ? NULL : "a parameter of the signature is of another type";
}

/* Finds the signature's member of Signature-Input, and parses it. */
static const char *read_signature_input(signed_parts *parts, const char *tag, const char *keyid)
{
    cw_structured at;
    cw_structured_item item;
    bool found = false;
    if (!cw_structured_open(crawl_buf_slice(&parts->inputs), CW_STRUCTURED_DICTIONARY, &at))
        return "Signature-Input is not a Dictionary";
    while (!found && cw_structured_next(&at, &parts->input))
        found = is_meant(&parts->input, tag, keyid);
    if (!found)
        return "there is no signature of this sort";
    while (cw_structured_next(&at, &item))
        if (crawl_slice_equal(item.key, parts->input.key))
            return "Signature-Input has a label twice";
    if (parts->input.value.type != CW_STRUCTURED_MEMBERS)
        return "Signature-Input has no list of components";
    const char *why = NULL;
    for (cw_structured inside = cw_structured_inside(&parts->input.value); !why && cw_structured_next(&inside, &item);)
        why = read_component(&item, &parts->cover);
    return why ? why : read_parameters(parts);
}

static const char *read_signature(signed_parts *parts, crawl_err *err)
{
    cw_structured at;
    cw_structured_item item;
    if (!cw_structured_open(crawl_buf_slice(&parts->signatures), CW_STRUCTURED_DICTIONARY, &at))
        return "Signature is not a Dictionary";
    const char *why = "Signature lacks the label of Signature-Input";
    while (!*err && cw_structured_next(&at, &item)) {
        if (!crawl_slice_equal(item.key, parts->input.key))
            continue;
        crawl_buf_clear(&parts->signature);
        why = item.value.type == CW_STRUCTURED_BYTES ? NULL : "Signature is not a Byte Sequence";
        *err = why ? CRAWL_OK : cw_structured_text(&item.value, &parts->signature);
    }
    return why;
}

/* Parses the headers of a signature. *why: what is wrong with them. CRAWL_ENOMEM. */
static crawl_err read_parts(const crawl_message *message, const char *tag, const char *keyid, signed_parts *parts,
                            const char **why)
{
    crawl_err err = CRAWL_OK;
    bool has_input = cw_identity_field(message, crawl_slice_from("signature-input"), &parts->inputs, &err);
    bool has_signature = cw_identity_field(message, crawl_slice_from("signature"), &parts->signatures, &err);
    parts->has_agent = cw_identity_field(message, crawl_slice_from("signature-agent"), &parts->agent, &err);
    if (err)
        return err;
    *why = !has_input || !has_signature ? "there is no signature" : read_signature_input(parts, tag, keyid);
    if (!*why)
        *why = read_signature(parts, &err);
    return err;
}

/* ---- judging ---- */

static const char *judge_time(const signed_parts *parts, int64_t now_s)
{
    if (!parts->has_created || !parts->has_expires)
        return "the signature has no created and expires";
    if (parts->created_s > now_s)
        return "the signature was created in the future";
    return parts->expires_s < now_s ? "the signature has expired" : NULL;
}

/* Returns true for the String of an https URL: a bare origin, or the URL of keys. */
static bool is_agent_value(const cw_structured_value *value)
{
    return value->type == CW_STRUCTURED_STRING && cw_starts_nocase(value->text, "https://") &&
           value->text.size > strlen("https://");
}

/* Returns the component that covers Signature-Agent; NULL: none. */
static const cw_identity_component *agent_component(const cw_identity_cover *cover)
{
    for (size_t i = 0; i < cover->count; i++)
        if (cw_is(cover->items[i].name, "signature-agent"))
            return &cover->items[i];
    return NULL;
}

static const char *judge_agent(const signed_parts *parts)
{
    cw_structured at;
    cw_structured_item item;
    crawl_slice field = crawl_buf_slice(&parts->agent);
    const cw_identity_component *component = agent_component(&parts->cover);
    if (!parts->has_agent)
        return component ? "Signature-Agent is covered, but missing" : NULL;
    if (!component)
        return "Signature-Agent is not covered";
    bool is_string = cw_starts_with(field, "\"");
    if (is_string != !component->key.data)
        return is_string ? "a member of Signature-Agent is covered, and it is not a Dictionary"
                         : "Signature-Agent is a Dictionary, and none of its members is covered alone";
    if (!cw_structured_open(field, is_string ? CW_STRUCTURED_ITEM : CW_STRUCTURED_DICTIONARY, &at))
        return "Signature-Agent is neither a Dictionary nor a String";
    bool found = false;
    while (cw_structured_next(&at, &item))
        if (is_string || crawl_slice_equal(item.key, component->key)) {
            if (!is_agent_value(&item.value))
                return "Signature-Agent is not an https URL";
            found = true;
        }
    return found ? NULL : "Signature-Agent lacks the member that is covered";
}

/* Checks a covered digest against the body (RFC 9530, 2). Of several kinds sha-256 must be present. */
static crawl_err judge_digest(const crawl_message *message, const cw_identity_cover *cover, const char **why)
{
    crawl_buf said = {0}, own = {0};
    crawl_err err = CRAWL_OK;
    cw_structured at;
    cw_structured_item item;
    if (!cw_identity_cover_has(cover, "content-digest"))
        return CRAWL_OK;
    if (!cw_identity_field(message, crawl_slice_from("content-digest"), &said, &err))
        *why = "Content-Digest is covered, but missing";
    else if (!err)
        err = cw_identity_digest(message->body, &own);
    crawl_slice digest = crawl_buf_slice(&own);
    (void)(!*why && !err && cw_take_text(&digest, "sha-256=:"));
    digest.size -= digest.size > 0; /* the colon */
    if (!*why && !err &&
        (!cw_structured_open(crawl_buf_slice(&said), CW_STRUCTURED_DICTIONARY, &at) ||
         !cw_structured_member(at, "sha-256", &item) || item.value.type != CW_STRUCTURED_BYTES ||
         !crawl_slice_equal(item.value.text, digest)))
        *why = "the body does not match Content-Digest";
    crawl_buf_free(&said);
    crawl_buf_free(&own);
    return err;
}

/* Returns the Inner List with its parameters, as written in the field. */
static crawl_slice params_of(const cw_structured_item *input)
{
    const char *start = input->value.text.data - 1;
    crawl_slice after = input->parameters;
    const char *end = after.size ? after.data + after.size : input->value.text.data + input->value.text.size + 1;
    return crawl_slice_of(start, (size_t)(end - start));
}

static bool fits_alg(const signed_parts *parts, const cw_identity_public *key)
{
    return !parts->has_alg || cw_is(parts->alg.text, key->is_ed25519 ? "ed25519" : "rsa-pss-sha512");
}

/* Verifies the signature with the key. An unknown key yields no verdict. */
static crawl_err judge_signature(const crawl_message *message, const signed_parts *parts, const cw_identity_public *key,
                                 const char **why)
{
    crawl_buf base = {0};
    bool holds = false;
    crawl_err err = cw_identity_base(&parts->cover, message, params_of(&parts->input), &base, why);
    if (err == CRAWL_EPARSE)
        err = CRAWL_OK;
    else if (!err && key && !fits_alg(parts, key))
        *why = "the algorithm of the signature is not that of its key";
    else if (!err && key) {
        err = cw_identity_public_verify(key, crawl_buf_slice(&base), crawl_buf_slice(&parts->signature), &holds);
        *why = holds ? NULL : "the signature does not match the key or the message";
    }
    crawl_buf_free(&base);
    return err;
}

/* ---- a request ---- */

static const char *judge_request(const signed_parts *parts, int64_t now_s)
{
    const char *why = judge_time(parts, now_s);
    if (why)
        return why;
    if (!parts->has_keyid)
        return "the signature has no keyid";
    if (!cw_identity_cover_has(&parts->cover, "@authority") && !cw_identity_cover_has(&parts->cover, "@target-uri"))
        return "neither @authority nor @target-uri is covered";
    return judge_agent(parts);
}

/* Finds the bytes of a slice of our own buffer in the message; empty: they span several lines. */
static crawl_slice in_message(const crawl_message *message, crawl_slice text)
{
    for (size_t i = 0; i < message->header_count; i++) {
        crawl_slice value = message->headers[i].value;
        const char *found = cw_is_nocase(message->headers[i].name, "signature-input") && text.size && value.size
                                ? (const char *)memmem(value.data, value.size, text.data, text.size)
                                : NULL;
        if (found)
            return crawl_slice_of(found, text.size);
    }
    return (crawl_slice){0};
}

static void tell(const crawl_message *message, const signed_parts *parts, const char *why, crawl_verification *out)
{
    *out = (crawl_verification){
        .verdict = why ? CRAWL_INVALID : CRAWL_VERIFIED,
        .why = why ? why : "",
        .label = in_message(message, parts->input.key),
        .keyid = in_message(message, parts->has_keyid ? parts->keyid.text : (crawl_slice){0}),
        .created_s = parts->created_s,
        .expires_s = parts->expires_s,
    };
}

static void leave_open(crawl_verification *out, const char *why)
{
    if (out->verdict != CRAWL_VERIFIED)
        return;
    out->verdict = CRAWL_UNVERIFIED;
    out->why = why;
}

crawl_err crawl_verify(const crawl_message *request, const crawl_keys *keys, int64_t now_s, crawl_verification *out)
{
    crawl_message own;
    signed_parts parts = {0};
    const char *why = NULL;
    const cw_identity_public *key = NULL;
    const crawl_message *message = cw_sized(&own, sizeof own, request);
    if (!message || message->is_answer)
        return CRAWL_EINVAL;
    crawl_err err = read_parts(message, request_tag, NULL, &parts, &why);
    if (!err && !why)
        why = judge_request(&parts, now_s);
    if (!err && !why)
        err = judge_digest(message, &parts.cover, &why);
    if (!err && !why) {
        key = cw_identity_keys_find(keys, parts.keyid.text);
        err = judge_signature(message, &parts, key, &why);
    }
    if (!err) {
        tell(message, &parts, why, out);
        if (!parts.has_agent)
            leave_open(out, "there is no Signature-Agent");
        else if (!key)
            leave_open(out, "the key is unknown");
    }
    free_signed_parts(&parts);
    return err;
}

/* ---- the answer of a directory ---- */

static const char *judge_answer(const signed_parts *parts, int64_t now_s)
{
    const char *why = judge_time(parts, now_s);
    if (why)
        return why;
    if (!cw_identity_cover_has(&parts->cover, "@authority"))
        return "@authority of the request is not covered";
    return cw_identity_cover_has(&parts->cover, "content-digest") ? NULL : "Content-Digest is not covered";
}

crawl_err crawl_directory_verify(const crawl_message *answer, const crawl_keys *keys, size_t index, int64_t now_s,
                                 crawl_verification *out)
{
    crawl_message own;
    signed_parts parts = {0};
    const char *why = NULL;
    const crawl_message *message = cw_sized(&own, sizeof own, answer);
    if (!message || !message->is_answer)
        return CRAWL_EINVAL;
    const cw_identity_public *key = cw_identity_keys_at(keys, index);
    crawl_err err = read_parts(message, directory_tag, key->thumbprint, &parts, &why);
    if (!err && !why)
        why = judge_answer(&parts, now_s);
    if (!err && !why)
        err = judge_digest(message, &parts.cover, &why);
    if (!err && !why)
        err = judge_signature(message, &parts, key, &why);
    if (!err)
        tell(message, &parts, why, out);
    free_signed_parts(&parts);
    return err;
}
