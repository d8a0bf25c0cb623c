/* Finds the name for robots.txt. A site blocks a bot by the name in its User-Agent (RFC 9309, 2.2.1), so that name
 * counts unless another is set. */
#include "config/config.h"

#include "base/bytes.h"
#include "base/header.h"

#include <stdlib.h>

crawl_slice cw_config_user_agent(const crawl_texts *headers, crawl_slice otherwise)
{
    for (size_t i = 0; i < headers->count; i++) {
        crawl_slice name, value;
        if (cw_header_split(crawl_slice_from(headers->items[i]), &name, &value) && cw_is_nocase(name, "User-Agent"))
            return value;
    }
    return otherwise;
}

size_t cw_config_agent_size(crawl_slice text)
{
    size_t size = 0;
    while (size < text.size &&
           (cw_is_alpha((unsigned char)text.data[size]) || text.data[size] == '-' || text.data[size] == '_'))
        size++;
    return size;
}

static crawl_slice agent_name_of(crawl_slice text)
{
    return crawl_slice_of(text.data, cw_config_agent_size(text));
}

static crawl_slice agent_name_in(crawl_slice user_agent)
{
    static const char mark[] = "compatible;";
    crawl_slice name = agent_name_of(user_agent);
    if (cw_is_nocase(name, "Mozilla")) {
        crawl_slice rest = cw_drop(user_agent, cw_find_text(user_agent, mark));
        cw_take_text(&rest, mark);
        name = agent_name_of(cw_trim_start(rest));
    }
    return name.size ? name : crawl_slice_from("crawl");
}

crawl_err cw_config_agent_follow(crawl_config *config)
{
    crawl_slice user_agent = cw_config_user_agent(&config->headers, crawl_slice_from(config->user_agent));
    crawl_slice name =
        config->robots_agent_set ? crawl_slice_from(config->robots_agent_set) : agent_name_in(user_agent);
    /* A running crawl has copies of the pointer, and reloads keys that do not change the name. */
    if (config->robots_agent && crawl_slice_equal(crawl_slice_from(config->robots_agent), name))
        return CRAWL_OK;
    char *copy = strndup(name.data, name.size);
    if (!copy)
        return CRAWL_ENOMEM;
    free(config->robots_agent);
    config->robots_agent = copy;
    return CRAWL_OK;
}
