/* An origin's demand by Accept-Signature (RFC 9421, 5). The list comes from a stranger, so we sign only what we would
 * sign anyway, and what binds the signature to this origin: a signature of a Cookie, or one that covers no authority,
 * would be valuable elsewhere. */
#include "base/structured.h"
#include "fetch/identity/signature.h"

/* Maximum bytes of a nonce: more than any random one has. */
enum { MAX_NONCE = 256 };

static const char *const given[] = {
    "@authority",      "@method",        "@path",      "@query", "@target-uri",     "@scheme",
    "signature-agent", "content-digest", "user-agent", "accept", "accept-language",
};

static bool is_signed_for_strangers(crawl_slice name)
{
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (cw_is(name, given[i]))
            return true;
    return false;
}

static const char *take_component(const cw_structured_item *item, bool has_agent, cw_identity_cover *cover)
{
    cw_identity_component component = {.name = item->value.text};
    crawl_slice parameters = item->parameters, key;
    cw_structured_value value;
    if (item->value.type != CW_STRUCTURED_STRING || !is_signed_for_strangers(component.name))
        return "it asks for a component that is not signed for strangers";
    bool is_agent = cw_is(component.name, "signature-agent");
    while (cw_structured_parameter(&parameters, &key, &value)) {
        if (!is_agent || !cw_is(key, "key") || value.type != CW_STRUCTURED_STRING || !value.text.size)
            return "it asks for a component with parameters that are not known";
        component.key = value.text;
    }
    if (is_agent && !has_agent)
        return "it asks for a Signature-Agent, and none is set";
    if (cover->count == CW_IDENTITY_MAX_COMPONENTS || cw_identity_cover_repeats(cover, &component) ||
        (is_agent && cw_identity_cover_has(cover, "signature-agent")))
        return "it asks for a component twice";
    cover->items[cover->count++] = component;
    return NULL;
}

/* "created" and "expires" have no value there: the signer sets them. */
static const char *take_parameter(crawl_slice key, const cw_structured_value *value, const char *thumbprint,
                                  cw_identity_plan *plan)
{
    if (cw_is(key, "created") || cw_is(key, "expires"))
        return value->type == CW_STRUCTURED_BOOLEAN && value->number ? NULL : "it asks for its own times";
    if (value->type != CW_STRUCTURED_STRING)
        return "it asks for a parameter that is not known";
    if (cw_is(key, "tag"))
        return cw_is(value->text, "web-bot-auth") ? NULL : "it asks for a signature of another sort";
    if (cw_is(key, "keyid"))
        return cw_is(value->text, thumbprint) ? NULL : "it asks for another key";
    if (cw_is(key, "alg"))
        return cw_is(value->text, "ed25519") ? NULL : "it asks for another algorithm";
    if (!cw_is(key, "nonce"))
        return "it asks for a parameter that is not known";
    plan->nonce = value->text;
    return value->text.size <= MAX_NONCE ? NULL : "it asks for a nonce of more than 256 bytes";
}

static const char *take_member(const cw_structured_item *member, const char *thumbprint, bool has_agent,
                               cw_identity_plan *plan)
{
    crawl_slice parameters = member->parameters, key;
    cw_structured_value value;
    cw_structured_item item;
    const char *why = member->value.type == CW_STRUCTURED_MEMBERS ? NULL : "it has no list of components";
    *plan = (cw_identity_plan){.label = member->key};
    while (!why && cw_structured_parameter(&parameters, &key, &value))
        why = take_parameter(key, &value, thumbprint, plan);
    if (why)
        return why;
    cw_structured at = cw_structured_inside(&member->value);
    while (!why && cw_structured_next(&at, &item))
        why = take_component(&item, has_agent, &plan->cover);
    bool is_bound =
        cw_identity_cover_has(&plan->cover, "@authority") || cw_identity_cover_has(&plan->cover, "@target-uri");
    return why || is_bound ? why : "it asks for a signature that would be valid at other origins too";
}

crawl_err cw_identity_plan_asked(crawl_slice field, const char *thumbprint, bool has_agent, cw_identity_plan *plan,
                                 const char **why)
{
    cw_structured at;
    cw_structured_item member;
    *why = "Accept-Signature is not a list of signatures";
    bool is_one = cw_structured_open(field, CW_STRUCTURED_DICTIONARY, &at);
    for (const char *first = NULL; is_one && cw_structured_next(&at, &member);) {
        const char *refused = take_member(&member, thumbprint, has_agent, plan);
        if (!refused)
            return CRAWL_OK;
        first = first ? first : refused;
        *why = first;
    }
    return CRAWL_REFUSED;
}
