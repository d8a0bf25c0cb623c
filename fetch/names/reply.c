#include "fetch/names/reply.h"

#include "fetch/address.h"

#include <arpa/inet.h>
#include <event2/dns.h>

/* The most addresses of one family: libcurl tries them one after the other, and if a zone has more, one of these will
 * answer. */
#define MAX_ADDRESSES 16

crawl_err cw_dns_reply_set(cw_dns_reply *reply, int code, int family, const void *addresses, int count, int ttl_s)
{
    size_t size = family == AF_INET6 ? 16 : 4;
    const char *bytes = addresses;
    crawl_err err = CRAWL_OK;
    reply->there = true;
    reply->code = code;
    reply->ttl_s = ttl_s < 0 ? 0 : (uint32_t)ttl_s;
    if (code != DNS_ERR_NONE)
        return CRAWL_OK;
    for (int i = 0; i < count && i < MAX_ADDRESSES && !err; i++) {
        char text[INET6_ADDRSTRLEN];
        inet_ntop(family, bytes + (size_t)i * size, text, sizeof text);
        err = cw_fetch_address_list_add(&reply->addresses, text);
    }
    return err;
}

static cw_names_verdict verdict_of(const cw_dns_reply *reply)
{
    if (!reply->there)
        return CW_NAME_LATE;
    switch (reply->code) {
    case DNS_ERR_NONE:
        return reply->addresses.size ? CW_NAME_KNOWN : CW_NAME_EMPTY;
    case DNS_ERR_TRUNCATED:
        return CW_NAME_SYSTEM;
    case DNS_ERR_NOTEXIST:
        return CW_NAME_ABSENT;
    case DNS_ERR_NODATA:
        return CW_NAME_EMPTY;
    default: /* also TIMEOUT: evdns asks again after "server failed" and reports a timeout in the end */
        return CW_NAME_FAILED;
    }
}

static crawl_err reply_join(const crawl_buf *first, const crawl_buf *second, crawl_buf *out)
{
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, first->data, first->size);
    if (!err && first->size && second->size)
        err = crawl_buf_append_char(out, ',');
    return err ? err : crawl_buf_append(out, second->data, second->size);
}

static uint32_t reply_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The answer has the first of these verdicts that one of its two replies has. */
static const cw_names_verdict ranks[] = {CW_NAME_SYSTEM, CW_NAME_KNOWN, CW_NAME_ABSENT,
                                         CW_NAME_FAILED, CW_NAME_LATE,  CW_NAME_EMPTY};

void cw_dns_reply_combine(const cw_dns_reply *v6, const cw_dns_reply *v4, bool v6_first, cw_names_answer *out)
{
    const cw_dns_reply *first = v6_first ? v6 : v4, *second = v6_first ? v4 : v6;
    cw_names_verdict of_v6 = verdict_of(v6), of_v4 = verdict_of(v4);
    size_t rank = 0;
    while (ranks[rank] != of_v6 && ranks[rank] != of_v4)
        rank++;
    out->verdict = ranks[rank];
    if (of_v6 == of_v4)
        out->ttl_s = reply_least(v6->ttl_s, v4->ttl_s);
    else
        out->ttl_s = out->verdict == of_v6 ? v6->ttl_s : v4->ttl_s;
    if (reply_join(&first->addresses, &second->addresses, &out->addresses))
        out->verdict = CW_NAME_MEMORY;
}
