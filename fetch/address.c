/* See address.h. The tables list the addresses that the registries call not globally reachable. */
#include "fetch/address.h"

#include "base/bytes.h"
#include "base/net.h"

#include <crawl/fetch.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

typedef struct prefix {
    unsigned char bytes[16];
    unsigned bits;
} prefix;

static const prefix closed_v4[] = {
    {{0}, 8},             /* this network */
    {{10}, 8},            /* private */
    {{100, 64}, 10},      /* shared: carriers' NAT */
    {{127}, 8},           /* loopback */
    {{169, 254}, 16},     /* link-local */
    {{172, 16}, 12},      /* private */
    {{192, 0, 0}, 24},    /* protocol assignments */
    {{192, 0, 2}, 24},    /* documentation */
    {{192, 88, 99}, 24},  /* 6to4 relays, no longer in use */
    {{192, 168}, 16},     /* private */
    {{198, 18}, 15},      /* benchmarking */
    {{198, 51, 100}, 24}, /* documentation */
    {{203, 0, 113}, 24},  /* documentation */
    {{224}, 4},           /* multicast */
    {{240}, 4},           /* reserved, broadcast */
};

static const prefix link_local_v4[] = {
    {{169, 254}, 16},
    {{100, 100, 100, 200}, 32}, /* metadata service of Alibaba's cloud */
    {{192, 0, 0, 192}, 32},     /* metadata service of Oracle's cloud */
};

/* The second: the metadata service of Amazon's cloud. */
static const prefix link_local_v6[] = {
    {{0xfe, 0x80}, 10},
    {{0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128},
};

/* The parts of 2000::/3 that are not public. IANA assigns no addresses outside of 2000::/3. */
static const prefix closed_v6[] = {
    {{0x20, 0x01}, 23},             /* protocol assignments: Teredo, benchmarking, ORCHID, ... */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x3f, 0xff}, 20},             /* documentation */
};

static const prefix given_out = {{0x20}, 3};
static const prefix mapped = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
static const prefix translated = {{0, 0x64, 0xff, 0x9b}, 96};
static const prefix six_to_four = {{0x20, 0x02}, 16};

static bool starts_with(const unsigned char *address, const prefix *start)
{
    unsigned whole = start->bits / 8;
    unsigned rest = start->bits % 8;
    return memcmp(address, start->bytes, whole) == 0 &&
           (rest == 0 || (address[whole] ^ start->bytes[whole]) >> (8 - rest) == 0);
}

static bool in_some(const unsigned char *address, const prefix *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (starts_with(address, &table[i]))
            return true;
    return false;
}

static cw_fetch_address_kind kind_of_v4(const unsigned char *address)
{
    if (in_some(address, link_local_v4, sizeof link_local_v4 / sizeof *link_local_v4))
        return CW_ADDRESS_LINK_LOCAL;
    return in_some(address, closed_v4, sizeof closed_v4 / sizeof *closed_v4) ? CW_ADDRESS_PRIVATE : CW_ADDRESS_PUBLIC;
}

static cw_fetch_address_kind kind_of_v6(const unsigned char *address)
{
    if (starts_with(address, &mapped) || starts_with(address, &translated))
        return kind_of_v4(address + 12);
    if (starts_with(address, &six_to_four))
        return kind_of_v4(address + 2);
    if (in_some(address, link_local_v6, sizeof link_local_v6 / sizeof *link_local_v6))
        return CW_ADDRESS_LINK_LOCAL;
    bool public =
        starts_with(address, &given_out) && !in_some(address, closed_v6, sizeof closed_v6 / sizeof *closed_v6);
    return public ? CW_ADDRESS_PUBLIC : CW_ADDRESS_PRIVATE;
}

cw_fetch_address_kind cw_fetch_address_kind_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof v4);
        return kind_of_v4((const unsigned char *)&v4.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof v6);
        return kind_of_v6(v6.sin6_addr.s6_addr);
    }
    return CW_ADDRESS_PRIVATE;
}

cw_fetch_address_kind cw_fetch_address_text_kind(const char *text)
{
    unsigned char bytes[16];
    if (inet_pton(AF_INET, text, bytes) == 1)
        return kind_of_v4(bytes);
    return inet_pton(AF_INET6, text, bytes) == 1 ? kind_of_v6(bytes) : CW_ADDRESS_PRIVATE;
}

bool cw_fetch_address_is_public(const struct sockaddr *address)
{
    return cw_fetch_address_kind_of(address) == CW_ADDRESS_PUBLIC;
}

bool crawl_address_is_public(const char *text)
{
    return cw_fetch_address_text_kind(text) == CW_ADDRESS_PUBLIC;
}

/* Returns true for "localhost" and "NAME.localhost". */
static bool address_is_localhost(crawl_slice host)
{
    return cw_is_in_domain(host, crawl_slice_from("localhost"));
}

/* Copies the host of the URL to text if it is an address. False: it is a name. */
static bool as_address(crawl_slice url, char text[INET6_ADDRSTRLEN])
{
    crawl_slice host = cw_authority_of(url).host;
    if (host.size == 0 || host.size >= INET6_ADDRSTRLEN)
        return false;
    memcpy(text, host.data, host.size);
    text[host.size] = '\0';
    return cw_address_is(text);
}

bool cw_fetch_url_is_loopback(crawl_slice url)
{
    char text[INET6_ADDRSTRLEN];
    return address_is_localhost(cw_authority_of(url).host) ||
           (as_address(url, text) && (strncmp(text, "127.", 4) == 0 || strcmp(text, "::1") == 0));
}

bool cw_fetch_url_has_address(crawl_slice url)
{
    char text[INET6_ADDRSTRLEN];
    return as_address(url, text);
}

crawl_err cw_fetch_address_list_add(crawl_buf *list, const char *text)
{
    bool v6 = strchr(text, ':') != NULL;
    return crawl_buf_printf(list, "%s%s%s%s", list->size ? "," : "", v6 ? "[" : "", text, v6 ? "]" : "");
}

bool crawl_fetch_url_is_private(crawl_slice url)
{
    char text[INET6_ADDRSTRLEN];
    return address_is_localhost(cw_authority_of(url).host) || (as_address(url, text) && !crawl_address_is_public(text));
}
