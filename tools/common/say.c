#include "tools/common/say.h"

#include "base/files/file_read.h"
#include "base/header.h"
#include "config/config_values.h"
#include "tools/common/messages/message.h"

void cw_tool_escape_print(crawl_slice text, FILE *out)
{
    char piece[CW_ESCAPE_PIECE];
    while (text.size) {
        size_t size = cw_escape_take(&text, piece);
        fwrite(piece, 1, size, out);
    }
}

void cw_tool_say(const char *tool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cw_message_vsay(CW_MESSAGE_ERROR, tool, format, arguments);
    va_end(arguments);
}

/* ---- files with secrets ---- */

void cw_tool_secret_warn(const char *path, const char *what)
{
    if (cw_secret_is_open(path))
        cw_message_say(CW_MESSAGE_WARNING, "warning: %s holds %s and may be read by others; chmod 600 %s", path, what,
                       path);
}

static bool has_secret_header(const crawl_texts *headers)
{
    crawl_slice name, value;
    for (size_t i = 0; i < headers->count; i++)
        if (cw_header_split(crawl_slice_from(headers->items[i]), &name, &value) && cw_header_is_secret(name) &&
            value.size)
            return true;
    return false;
}

static bool has_secret_proxy(const char *proxy)
{
    return proxy && strchr(proxy, '@');
}

/* Returns true if the configuration holds a secret. It may come from an option and not from the file; then the warning
 * is superfluous, which does no harm. */
static bool has_secret(const crawl_config *config)
{
    bool found = has_secret_header(&config->headers) || has_secret_proxy(config->proxy);
    for (size_t i = 0; i < config->host_count; i++) {
        const crawl_host_config *host = &config->hosts[i];
        found = found || host->password || host->bearer || has_secret_header(&host->headers) ||
                has_secret_proxy(host->proxy);
    }
    return found;
}

void cw_tool_secrets_warn(const crawl_config *config, const char *path)
{
    if (has_secret(config))
        cw_tool_secret_warn(path, "a secret");
    cw_tool_secret_warn(config->cookies_file, "cookies");
    cw_tool_secret_warn(config->client_key, "a private key");
    cw_tool_secret_warn(config->redis_password_file, "a password");
    cw_tool_secret_warn(config->program.live_token_file, "a token");
    cw_tool_secret_warn(config->program.webhook_secret_file, "a secret");
    cw_tool_secret_warn(config->program.upload_credentials, "the keys of an account");
    for (size_t i = 0; i < config->host_count; i++) {
        cw_tool_secret_warn(config->hosts[i].password_file, "a password");
        cw_tool_secret_warn(config->hosts[i].bearer_file, "a token");
        cw_tool_secret_warn(config->hosts[i].client_key, "a private key");
    }
}
