#include "tools/identity/bot_files.h"

#include "base/json/json_write.h"
#include "base/text/escape.h"

/* Names of values are between @ signs. */
static const char card[] = "{\n"
                           "  \"client_id\": @card@,\n"
                           "  \"client_name\": @name@,\n"
                           "  \"client_uri\": @url@,\n"
                           "  \"contacts\": [@contact@],\n"
                           "  \"jwks_uri\": @agent@,\n"
                           "  \"web_bot_auth\": {\n"
                           "    \"expected-user-agent\": @user_agent@,\n"
                           "    \"rfc9309-product-token\": @name@,\n"
                           "    \"rfc9309-compliance\": [\"User-Agent\", \"Allow\", \"Disallow\"],\n"
                           "    \"trigger\": \"crawler\",\n"
                           "    \"purpose\": @purpose@,\n"
                           "    \"rate-control\": \"429\"\n"
                           "  }\n"
                           "}\n";

/* Each part of the page has two texts, with and without its value. */
static const struct {
    const char *value; /* name; "": needs none */
    const char *with, *without;
} page[] = {
    {"",
     "<!doctype html>\n"
     "<html lang=\"en\">\n"
     "<meta charset=\"utf-8\">\n"
     "<meta name=\"viewport\" content=\"width=device-width\">\n",
     ""},
    {"ranges", "<link rel=\"client-ranges\" href=\"@ranges@\">\n", ""},
    {"",
     "<title>@name@, a web crawler</title>\n"
     "<style>body { max-width: 40em; margin: 2em auto; padding: 0 1em; font: 1em/1.5 sans-serif }\n"
     "pre { overflow-x: auto; padding: .5em; background: #eee } code { overflow-wrap: anywhere }</style>\n"
     "<h1>@name@</h1>\n"
     "<p>@name@ is a web crawler. It sends this User-Agent:</p>\n"
     "<pre>@user_agent@</pre>\n"
     "<h2>Why it reads pages</h2>\n",
     ""},
    {"purpose", "<p>@purpose@</p>\n",
     "<p><mark>Say here who runs it, what it reads pages for, what is kept of them and for how long, and whether "
     "they\ntrain models.</mark></p>\n"},
    {"renders",
     "<p>It runs the scripts of pages that say little without them. All that these ask for keeps to the same rules.</p>"
     "\n",
     "<p>It reads pages as servers send them, and does not run their scripts.</p>\n"},
    {"",
     "<h2>How to keep it out</h2>\n"
     "<p>It obeys robots.txt (RFC 9309), and reads it anew after a day. These lines keep it from a whole site:</p>\n"
     "<pre>User-agent: @name@\nDisallow: /</pre>\n"
     "<p>And these from a part, with at least ten seconds between two requests for the rest:</p>\n"
     "<pre>User-agent: @name@\nDisallow: /private/\nCrawl-delay: 10</pre>\n"
     "<p>It follows no links of pages with <code>nofollow</code>, in a robots meta tag or X-Robots-Tag, and slows "
     "down\nafter the status 429 or 503.</p>\n"
     "<h2>How to tell it from others</h2>\n"
     "<p>It signs its requests (Web Bot Auth, RFC 9421) by the key <code>@key@</code>, which is found at\n"
     "<a href=\"@agent@\">@agent@</a>. Requests with its name and without such a signature "
     "come from somebody else.</p>\n",
     ""},
    {"ranges", "<p>It comes from <a rel=\"client-ranges\" href=\"@ranges@\">these addresses</a>.</p>\n", ""},
    {"", "<h2>How to reach us</h2>\n", ""},
    {"contact", "<p>@contact@</p>\n", "<p><mark>Name here an address that somebody reads.</mark></p>\n"},
    {"", "</html>\n", ""},
};

static const char config[] = "[fetch]\n"
                             "user_agent = \"@user_agent@\"\n"
                             "\n"
                             "[identity]\n"
                             "key_file = \"@key_file@\"\n"
                             "agent = @agent@\n"
                             "sign = always\n";

/* Appended for a bot that renders pages. */
static const char rendering[] = "\n"
                                "[render]\n"
                                "render = @renders@\n";

static const char *value_of(const cw_bot *bot, crawl_slice name)
{
    const struct {
        const char *name, *value;
    } values[] = {
        {"name", bot->name},         {"url", bot->url},
        {"card", bot->card},         {"user_agent", bot->user_agent},
        {"key", bot->key},           {"agent", bot->agent},
        {"key_file", bot->key_file}, {"contact", bot->contact},
        {"purpose", bot->purpose},   {"ranges", bot->ranges},
        {"renders", bot->renders},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (crawl_slice_equal(name, crawl_slice_from(values[i].name)))
            return values[i].value;
    return "";
}

/* Appends the template with its values inserted, each written by put. */
static crawl_err fill(const char *at, const cw_bot *bot, void (*put)(cw_writer *to, crawl_slice text), crawl_buf *out)
{
    cw_writer to = {.out = out};
    for (const char *mark; (mark = strchr(at, '@')); at = strchr(mark + 1, '@') + 1) {
        const char *end = strchr(mark + 1, '@');
        cw_put(&to, crawl_slice_of(at, (size_t)(mark - at)));
        const char *value = value_of(bot, crawl_slice_of(mark + 1, (size_t)(end - mark) - 1));
        if (value)
            put(&to, crawl_slice_from(value));
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
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof page / sizeof *page && !err; i++) {
        const char *value = value_of(bot, crawl_slice_from(page[i].value));
        bool is_told = !*page[i].value || (value && *value);
        err = fill(is_told ? page[i].with : page[i].without, bot, cw_escape_html, out);
    }
    return err;
}

/* Writes a text that is between quotes in a configuration. */
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
    crawl_err err = fill(config, bot, put_in_quotes, out);
    return err || !bot->renders ? err : fill(rendering, bot, put_in_quotes, out);
}
