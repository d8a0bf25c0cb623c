#include "base/no_proxy.h"

#include "base/bytes.h"

static crawl_slice without_brackets(crawl_slice host)
{
    bool bracketed = host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    return bracketed ? crawl_slice_of(host.data + 1, host.size - 2) : host;
}

static crawl_slice no_proxy_without_end_dot(crawl_slice name)
{
    return name.size && name.data[name.size - 1] == '.' ? crawl_slice_of(name.data, name.size - 1) : name;
}

static bool no_proxy_names(crawl_slice entry, crawl_slice host)
{
    if (crawl_slice_equal(entry, crawl_slice_from("*")))
        return true;
    size_t cut = cw_starts_with(entry, "*.") ? 2 : cw_starts_with(entry, ".") ? 1 : 0;
    entry = no_proxy_without_end_dot(without_brackets(crawl_slice_of(entry.data + cut, entry.size - cut)));
    if (!entry.size || host.size < entry.size)
        return false;
    size_t before = host.size - entry.size;
    return cw_equal_nocase(crawl_slice_of(host.data + before, entry.size), entry) &&
           (before == 0 || host.data[before - 1] == '.');
}

bool cw_no_proxy_names(const char *list, crawl_slice host)
{
    host = no_proxy_without_end_dot(without_brackets(host));
    while (list && *list) {
        size_t size = strcspn(list, ", \t");
        if (size && no_proxy_names(crawl_slice_of(list, size), host))
            return true;
        list += size + (list[size] != '\0');
    }
    return false;
}
