/* See webhooks.h. */
#include "crawler/program/webhook/webhooks.h"

#include "base/files/file_read.h"
#include "crawler/program/webhook/webhook_sign.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <crawl/fetch.h>
#include <crawl/url.h>
#include <stdlib.h>

enum { TARGETS_MAX = 8 };

/* Returns what is wrong with a target. NULL: nothing. */
static const char *webhooks_check_target(const crawl_config *config, const char *text, crawl_url *url)
{
    crawl_err err = crawl_url_parse(url, crawl_slice_from(text), NULL, NULL);
    if (err == CRAWL_ENOMEM)
        return crawl_strerror(err);
    if (err || !crawl_url_is_http(url))
        return "is not an http or https URL";
    if (crawl_url_username(url).size || crawl_url_password(url).size)
        return "has a user or a password in it: messages are signed instead";
    if (!config->allow_private && crawl_fetch_url_is_private(crawl_url_href(url)))
        return "is at a private address: --allow-private allows it";
    return NULL;
}

static bool webhooks_check_targets(const crawl_config *config)
{
    const crawl_texts *targets = &config->program.webhooks;
    crawl_url *url = crawl_url_create();
    const char *wrong = !url ? crawl_strerror(CRAWL_ENOMEM) : NULL;
    if (targets->count > TARGETS_MAX)
        wrong = "there are more than 8";
    for (size_t i = 0; i < targets->count && !wrong; i++) {
        wrong = webhooks_check_target(config, targets->items[i], url);
        if (wrong)
            cw_tool_say(NULL, "webhook: %zu of %zu %s", i + 1, targets->count, wrong);
    }
    if (wrong && (!url || targets->count > TARGETS_MAX))
        cw_tool_say(NULL, "webhook: %s", wrong);
    crawl_url_free(url);
    return !wrong;
}

int cw_webhooks_check(const crawl_config *config)
{
    crawl_error error = {0};
    cw_webhook_secrets secrets;
    char *text = NULL;
    if (!config->program.webhooks.count)
        return CW_EXIT_OK;
    if (!webhooks_check_targets(config))
        return CW_EXIT_USAGE;
    crawl_err err = cw_secret_find(config->program.webhook_secret_file, "CRAWL_WEBHOOK_SECRET", &text, &error);
    if (err)
        cw_tool_say(NULL, "webhook: %s", error.message);
    else if (!text)
        cw_tool_say(NULL, "webhook: signing messages needs a secret: set CRAWL_WEBHOOK_SECRET or "
                          "--webhook-secret-file FILE; to make one: echo whsec_$(openssl rand -base64 32)");
    else if (cw_webhook_secrets_read(crawl_slice_from(text), &secrets))
        cw_tool_say(NULL, "webhook: the secret is not \"whsec_\" and base64 of 24 to 64 bytes");
    else
        err = CRAWL_EXISTS;
    explicit_bzero(&secrets, sizeof secrets);
    cw_secret_free(text);
    return err == CRAWL_EXISTS ? CW_EXIT_OK : err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
}
