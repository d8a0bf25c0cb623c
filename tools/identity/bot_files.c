#include "tools/identity/bot_files.h"

#include "base/json/json_write.h"
#include "base/text/escape_forms.h"

/* Between @ stand the names of values. */
static const char card[] = "{\n"
                           "  \"client_id\": @card@,\n"
                           "  \"client_name\": @name@,\n"
                           "  \"client_uri\": @url@,\n"
                           "  \"contacts\": [],\n"
                           "  \"jwks_uri\": @agent@,\n"
                           "  \"web_bot_auth\": {\n"
                           "    \"expected-user-agent\": @user_agent@,\n"
                           "    \"rfc9309-product-token\": @name@,\n"
                           "    \"rfc9309-compliance\": [\"User-Agent\", \"Allow\", \"Disallow\"],\n"
                           "    \"trigger\": \"crawler\",\n"
                           "    \"purpose\": \"\",\n"
                           "    \"rate-control\": \"429\"\n"
                           "  }\n"
                           "}\n";

static const char page[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<title>@name@, a web crawler</title>\n"
    "<h1>@name@</h1>\n"
    "<p>@name@ is a web crawler. It sends this User-Agent:</p>\n"
    "<pre>@user_agent@</pre>\n"
    "<!-- Say here who runs it, what it reads pages for, what becomes of them, and how you are reached. -->\n"
    "<h2>How to keep it out</h2>\n"
    "<p>It obeys robots.txt (RFC 9309). This keeps it from a whole site:</p>\n"
    "<pre>User-agent: @name@\nDisallow: /</pre>\n"
    "<h2>How to tell it from others</h2>\n"
    "<p>It signs its requests (Web Bot Auth, RFC 9421) by the key <code>@key@</code>, which is found at\n"
    "<a href=\"@agent@\">@agent@</a>. What has its name and no such signature is another.</p>\n"
    "</html>\n";

static const char config[] = "[fetch]\n"
                             "user_agent = \"@user_agent@\"\n"
                             "\n"
                             "[politeness]\n"
                             "robots_agent = @name@\n"
                             "\n"
                             "[identity]\n"
                             "key_file = \"@key_file@\"\n"
                             "agent = @agent@\n"
                             "sign = always\n";

static const char *value_of(const cw_bot *bot, crawl_slice name)
{
    const struct {
        const char *name, *value;
    } values[] = {
        {"name", bot->name}, {"url", bot->url},     {"card", bot->card},         {"user_agent", bot->user_agent},
        {"key", bot->key},   {"agent", bot->agent}, {"key_file", bot->key_file},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (crawl_slice_equal(name, crawl_slice_from(values[i].name)))
            return values[i].value;
    return "";
}

/* Appends the template with the values in their places, each as put writes it. */
static crawl_err fill(const char *at, const cw_bot *bot, void (*put)(cw_writer *to, crawl_slice text), crawl_buf *out)
{
    cw_writer to = {.out = out};
    for (const char *mark; (mark = strchr(at, '@')); at = strchr(mark + 1, '@') + 1) {
        const char *end = strchr(mark + 1, '@');
        cw_put(&to, crawl_slice_of(at, (size_t)(mark - at)));
        put(&to, crawl_slice_from(value_of(bot, crawl_slice_of(mark + 1, (size_t)(end - mark) - 1))));
    }
    cw_put_text(&to, at);
    return to.err;
}

crawl_err cw_bot_card(const cw_bot *bot, crawl_buf *out)
{
    return fill(card, bot, cw_json_put_text, out);
}

crawl_err cw_bot_page(const cw_bot *bot, crawl_buf *out)
{
    return fill(page, bot, cw_escape_html, out);
}

/* Writes what stands between quotes in a configuration. */
static void put_in_quotes(cw_writer *to, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            cw_put_char(to, '\\');
        cw_put_char(to, text.data[i]);
    }
}

crawl_err cw_bot_config(const cw_bot *bot, crawl_buf *out)
{
    return fill(config, bot, put_in_quotes, out);
}
