#include "fetch/identity/signature.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/header.h"
#include "base/sized.h"
#include "base/writer.h"
#include "fetch/address.h"
#include "fetch/identity/public_key.h"

#include <openssl/rand.h>
#include <stdlib.h>

/* The customary bytes of a nonce. */
enum { NONCE_BYTES = 64 };

/* The label of our signatures, and of the member of Signature-Agent. */
static const char own_label[] = "sig1";

/* ---- a signature ---- */

static crawl_err write_input(const crawl_identity *identity, const cw_identity_cover *cover,
                             const cw_identity_parameters *parameters, crawl_buf *out)
{
    cw_writer to = {.out = out, .err = cw_identity_cover_write(cover, out)};
    cw_put_format(&to, ";created=%lld;keyid=\"%s\"", (long long)parameters->created_s,
                  crawl_identity_thumbprint(identity));
    if (parameters->has_alg)
        cw_put_text(&to, ";alg=\"ed25519\"");
    cw_put_format(&to, ";expires=%lld", (long long)parameters->expires_s);
    if (parameters->nonce.size)
        cw_put_format(&to, ";nonce=\"%.*s\"", (int)parameters->nonce.size, parameters->nonce.data);
    cw_put_format(&to, ";tag=\"%s\"", parameters->tag);
    return to.err;
}

/* Writes a line of the header `name`, which has one member, `label`, up to its value. */
static void put_signature_name(cw_writer *to, const char *name, crawl_slice label)
{
    cw_put_text(to, name);
    cw_put_text(to, ": ");
    cw_put(to, label);
    cw_put_char(to, '=');
}

static crawl_err write_signature(const crawl_identity *identity, crawl_slice label, const crawl_buf *input,
                                 const crawl_buf *base, crawl_buf *out)
{
    uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE];
    cw_writer to = {.out = out, .err = cw_identity_sign_bytes(identity, crawl_buf_slice(base), signature)};
    put_signature_name(&to, "Signature-Input", label);
    cw_put(&to, crawl_buf_slice(input));
    cw_put_char(&to, '\n');
    put_signature_name(&to, "Signature", label);
    cw_put_char(&to, ':');
    if (!to.err)
        to.err = cw_base64_append(crawl_slice_of(signature, sizeof signature), out);
    cw_put_text(&to, ":\n");
    return to.err;
}

crawl_err cw_identity_sign(const crawl_identity *identity, crawl_slice label, const cw_identity_cover *cover,
                           const cw_identity_parameters *parameters, const crawl_message *message, crawl_buf *out,
                           const char **why)
{
    crawl_buf input = {0}, base = {0};
    crawl_err err = write_input(identity, cover, parameters, &input);
    if (!err)
        err = cw_identity_base(cover, message, crawl_buf_slice(&input), &base, why);
    if (!err)
        err = write_signature(identity, label, &input, &base, out);
    crawl_buf_free(&input);
    crawl_buf_free(&base);
    return err;
}

/* ---- the signed parts of a request ---- */

static void plan_own(const crawl_signing *signing, cw_identity_plan *plan)
{
    static const char *const all[] = {"@authority", "@method", "@path", "@query"};
    size_t count = signing->components == CRAWL_SIGNING_MINIMAL ? 1 : sizeof all / sizeof *all;
    *plan = (cw_identity_plan){.label = crawl_slice_from(own_label)};
    for (size_t i = 0; i < count; i++)
        plan->cover.items[i] = (cw_identity_component){.name = crawl_slice_from(all[i])};
    plan->cover.count = count;
    if (!signing->agent)
        return;
    cw_identity_component agent = {.name = crawl_slice_from("signature-agent")};
    if (signing->form != CRAWL_SIGNING_STRING)
        agent.key = crawl_slice_from(own_label);
    plan->cover.items[plan->cover.count++] = agent;
}

static bool is_agent_url(const char *text)
{
    crawl_slice rest = crawl_slice_from(text);
    if (!cw_take_text(&rest, "https://") || !rest.size || *rest.data == '/')
        return false;
    for (size_t i = 0; i < rest.size; i++)
        if (rest.data[i] <= ' ' || (unsigned char)rest.data[i] >= 0x7f || strchr("\"\\", rest.data[i]))
            return false;
    return true;
}

/* Checks everything that can be wrong before there is a request. */
static crawl_err make_plan(const crawl_signing *signing, cw_identity_plan *plan, crawl_error *error)
{
    const char *why;
    if (!signing->identity)
        return crawl_error_set(error, CRAWL_EINVAL, "signing needs a key");
    if (signing->agent && !is_agent_url(signing->agent))
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of the keys is not an https URL: %s", signing->agent);
    if (!signing->asked) {
        plan_own(signing, plan);
        return CRAWL_OK;
    }
    if (cw_identity_plan_asked(crawl_slice_from(signing->asked), crawl_identity_thumbprint(signing->identity),
                               signing->agent != NULL, plan, &why))
        return crawl_error_set(error, CRAWL_REFUSED, "%s", why);
    return CRAWL_OK;
}

crawl_err crawl_signing_check(const crawl_signing *signing, crawl_error *error)
{
    crawl_signing own;
    cw_identity_plan plan;
    const crawl_signing *whole = cw_sized(&own, sizeof own, signing);
    return whole ? make_plan(whole, &plan, error) : cw_sized_refused(signing, sizeof own, "crawl_signing", error);
}

/* ---- a request ---- */

/* Checks whether a request to this URL may be signed. */
static crawl_err check_url(const crawl_signing *signing, crawl_slice url, crawl_error *error)
{
    bool is_plain = !cw_starts_nocase(url, "https://");
    if (is_plain && (signing->asked || !signing->http))
        return crawl_error_set(error, CRAWL_REFUSED, "plain http requests are not signed");
    if (crawl_identity_is_published(signing->identity) && !cw_fetch_url_is_loopback(url))
        return crawl_error_set(error, CRAWL_REFUSED,
                               "the key is published in a standard, so that anybody can sign by it: it is allowed "
                               "only for loopback");
    return CRAWL_OK;
}

/* Appends the line Signature-Agent, in the form that the plan covers. */
static crawl_err write_agent(const cw_identity_component *component, const char *agent, crawl_buf *out)
{
    bool is_dictionary = component->key.data != NULL;
    return crawl_buf_printf(out, "Signature-Agent: %.*s%s\"%s\"\n", (int)component->key.size,
                            is_dictionary ? component->key.data : "", is_dictionary ? "=" : "", agent);
}

static crawl_err write_digest(crawl_slice body, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, "Content-Digest: ");
    if (!err)
        err = cw_identity_digest(body, out);
    return err ? err : crawl_buf_append_char(out, '\n');
}

/* Appends our own lines that the plan covers. */
static crawl_err write_covered(const crawl_signing *signing, const cw_identity_plan *plan, crawl_slice body,
                               crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < plan->cover.count && !err; i++) {
        const cw_identity_component *component = &plan->cover.items[i];
        if (cw_is(component->name, "signature-agent"))
            err = write_agent(component, signing->agent, out);
        else if (cw_is(component->name, "content-digest"))
            err = write_digest(body, out);
    }
    return err;
}

/* Returns the headers of the request and those in lines; the caller frees the array. NULL: out of memory. */
static crawl_header *with_lines(const crawl_message *request, crawl_slice lines, size_t *count)
{
    crawl_header *all = calloc(request->header_count + CW_IDENTITY_MAX_COMPONENTS + 1, sizeof *all);
    *count = 0;
    for (size_t i = 0; all && i < request->header_count; i++)
        all[(*count)++] = request->headers[i];
    while (all && lines.size) {
        crawl_header *own = &all[(*count)++];
        cw_header_split(cw_cut_line(&lines), &own->name, &own->value);
    }
    return all;
}

static crawl_err make_nonce(crawl_buf *out)
{
    uint8_t bytes[NONCE_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return CRAWL_EIO;
    return cw_base64_append(crawl_slice_of(bytes, sizeof bytes), out);
}

static crawl_err sign_as_planned(const crawl_signing *signing, const cw_identity_plan *plan,
                                 const crawl_message *request, int64_t now_s, crawl_buf *out, const char **why)
{
    size_t start = out->size;
    crawl_buf nonce = {0};
    crawl_err err = write_covered(signing, plan, request->body, out);
    if (!err && !plan->nonce.size)
        err = make_nonce(&nonce);
    crawl_message message = *request;
    crawl_buf own = {0}; /* out may move */
    crawl_slice lines = cw_drop(crawl_buf_slice(out), start);
    if (!err)
        err = crawl_buf_append(&own, lines.data, lines.size);
    crawl_header *headers = err ? NULL : with_lines(request, crawl_buf_slice(&own), &message.header_count);
    if (!err && !headers)
        err = CRAWL_ENOMEM;
    message.headers = headers;
    const cw_identity_parameters parameters = {
        .created_s = now_s - CRAWL_SIGNING_EARLY_S,
        .expires_s = now_s - CRAWL_SIGNING_EARLY_S + CRAWL_SIGNING_LIFE_S,
        .nonce = plan->nonce.size ? plan->nonce : crawl_buf_slice(&nonce),
        .tag = "web-bot-auth",
        .has_alg = true,
    };
    if (!err)
        err = cw_identity_sign(signing->identity, plan->label, &plan->cover, &parameters, &message, out, why);
    free(headers);
    crawl_buf_free(&own);
    crawl_buf_free(&nonce);
    return err;
}

crawl_err crawl_sign(const crawl_signing *signing, const crawl_message *request, int64_t now_s, crawl_buf *out,
                     crawl_error *error)
{
    crawl_signing own;
    crawl_message own_request;
    cw_identity_plan plan;
    const char *why = NULL;
    const crawl_signing *how = cw_sized(&own, sizeof own, signing);
    const crawl_message *what = cw_sized(&own_request, sizeof own_request, request);
    if (!how)
        return cw_sized_refused(signing, sizeof own, "crawl_signing", error);
    if (!what)
        return cw_sized_refused(request, sizeof own_request, "crawl_message", error);
    if (what->is_answer || (what->method.size && !cw_is_token(what->method)))
        return crawl_error_set(error, CRAWL_EINVAL, "not a request");
    crawl_err err = make_plan(how, &plan, error);
    if (!err)
        err = check_url(how, what->url, error);
    if (err)
        return err;
    size_t start = out->size;
    err = sign_as_planned(how, &plan, what, now_s, out, &why);
    if (!err)
        return CRAWL_OK;
    if (out->size > start)
        out->data[out->size = start] = '\0';
    if (err == CRAWL_EPARSE) /* the origin asked for a part that the request does not have */
        return crawl_error_set(error, CRAWL_REFUSED, "%s", why);
    if (err == CRAWL_EINVAL)
        return crawl_error_set(error, err, "the URL of a request is invalid: %.*s", (int)what->url.size,
                               what->url.data);
    return cw_error(error, err);
}
