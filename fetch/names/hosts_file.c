/* See hosts_file.h. A line has an address and names; a name that is in several lines has the addresses of all. */
#include "fetch/names/hosts_file.h"

#include "base/bytes.h"
#include "base/map.h"
#include "fetch/address.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct host {
    struct host *next;
    crawl_buf addresses;
    size_t size;
    char name[];
} host;

struct cw_dns_hosts_file {
    cw_map *by_name;
    host *first;
};

static host *hosts_file_host_of(cw_dns_hosts_file *hosts, crawl_slice name)
{
    host *one = cw_map_get(hosts->by_name, name);
    if (one)
        return one;
    one = calloc(1, sizeof *one + name.size);
    if (!one)
        return NULL;
    one->size = name.size;
    memcpy(one->name, name.data, name.size);
    if (cw_map_put(hosts->by_name, crawl_slice_of(one->name, one->size), one)) {
        free(one);
        return NULL;
    }
    one->next = hosts->first;
    hosts->first = one;
    return one;
}

static crawl_err hosts_file_add(cw_dns_hosts_file *hosts, char *name, const char *address)
{
    crawl_slice text = crawl_slice_from(name);
    for (size_t i = 0; i < text.size; i++)
        name[i] = (char)cw_lower((unsigned char)name[i]);
    host *one = hosts_file_host_of(hosts, text);
    return one ? cw_fetch_address_list_add(&one->addresses, address) : CRAWL_ENOMEM;
}

static crawl_err hosts_file_add_line(cw_dns_hosts_file *hosts, char *line)
{
    static const char space[] = " \t\r\n";
    line[strcspn(line, "#")] = '\0';
    char *rest = NULL;
    const char *address = strtok_r(line, space, &rest);
    crawl_err err = CRAWL_OK;
    if (!address || !cw_fetch_address_is_text(address))
        return CRAWL_OK;
    for (char *name; !err && (name = strtok_r(NULL, space, &rest));)
        err = hosts_file_add(hosts, name, address);
    return err;
}

static crawl_err add_file(cw_dns_hosts_file *hosts, const char *path)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!file)
        return CRAWL_OK;
    char *line = NULL;
    size_t capacity = 0;
    crawl_err err = CRAWL_OK;
    while (!err && getline(&line, &capacity, file) >= 0)
        err = hosts_file_add_line(hosts, line);
    free(line);
    fclose(file);
    return err;
}

cw_dns_hosts_file *cw_dns_hosts_file_load(const char *path)
{
    cw_dns_hosts_file *hosts = calloc(1, sizeof *hosts);
    if (hosts)
        hosts->by_name = cw_map_create((uintptr_t)hosts);
    if (hosts && hosts->by_name && add_file(hosts, path) == CRAWL_OK)
        return hosts;
    cw_dns_hosts_file_free(hosts);
    return NULL;
}

void cw_dns_hosts_file_free(cw_dns_hosts_file *hosts)
{
    if (!hosts)
        return;
    cw_map_free(hosts->by_name);
    for (host *one; (one = hosts->first);) {
        hosts->first = one->next;
        crawl_buf_free(&one->addresses);
        free(one);
    }
    free(hosts);
}

crawl_slice cw_dns_hosts_file_find(const cw_dns_hosts_file *hosts, crawl_slice name)
{
    const host *one = cw_map_get(hosts->by_name, name);
    return one ? crawl_buf_slice(&one->addresses) : (crawl_slice){0};
}
