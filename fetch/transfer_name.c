/* Finds the addresses that libcurl connects to for a transfer's URL. They are put into libcurl's own cache as entries
 * for this transfer ("+": not permanent), replacing any older ones. The name of the previous host is removed from the
 * cache ("-") unless other transfers use it: a request that libcurl repeats because its connection had died looks up
 * its host there. */
#include "fetch/fetch_host.h"
#include "fetch/transfer.h"

static void stop_by(cw_fetch_transfer *transfer, cw_names_verdict verdict)
{
    crawl_fetch_error error = verdict == CW_NAME_SOCKET   ? CRAWL_FETCH_NO_SOCKET
                              : verdict == CW_NAME_MEMORY ? CRAWL_FETCH_LOCAL
                                                          : CRAWL_FETCH_DNS;
    if (error == CRAWL_FETCH_NO_SOCKET)
        cw_fetch_loop_squeeze(transfer->loop);
    cw_fetch_transfer_stop(transfer, error, cw_names_words(verdict));
}

/* ---- names that libcurl no longer needs ---- */

static bool uses(const cw_fetch_transfer *transfer, const cw_fetch_host *host)
{
    return transfer->used.size && transfer->used_port == host->port && !host->text[transfer->used_host] &&
           memcmp(transfer->used.data, host->text, transfer->used_host) == 0;
}

static crawl_err count_name(cw_fetch_transfer *transfer, const cw_fetch_host *host)
{
    if (!host->text[0])
        return CRAWL_OK;
    crawl_err err = crawl_buf_printf(&transfer->used, "%s:%u", host->text, host->port);
    if (!err)
        err = cw_names_uses_add(transfer->uses, crawl_buf_slice(&transfer->used));
    if (err)
        crawl_buf_clear(&transfer->used);
    transfer->used_host = strlen(host->text);
    transfer->used_port = host->port;
    return err;
}

/* Appends the line that makes libcurl drop the previous name, if it should, and counts the transfer for this one. */
static crawl_err change_name(cw_fetch_transfer *transfer, const cw_fetch_host *host, crawl_buf *text)
{
    if (uses(transfer, host))
        return CRAWL_OK;
    if (transfer->used.size) {
        crawl_err err = crawl_buf_printf(text, "-%.*s%c", (int)transfer->used.size, transfer->used.data, '\0');
        if (err)
            return err;
    }
    if (!cw_fetch_transfer_leave_name(transfer))
        crawl_buf_clear(text);
    return count_name(transfer, host);
}

/* ---- setting up libcurl ---- */

/* addresses: empty if libcurl knows them itself. */
static crawl_err tell_libcurl(cw_fetch_transfer *transfer, const cw_fetch_host *host, crawl_slice addresses)
{
    crawl_buf *text = &transfer->resolve_text;
    crawl_buf_clear(text);
    crawl_err err = change_name(transfer, host, text);
    size_t forgotten = text->size;
    if (!err && addresses.size)
        err = crawl_buf_printf(text, "+%s:%u:", host->text, host->port);
    if (!err)
        err = crawl_buf_append(text, addresses.data, addresses.size);
    if (err || !text->size)
        return err;
    bool both = forgotten && addresses.size;
    transfer->resolve[0] = (struct curl_slist){.data = text->data, .next = both ? &transfer->resolve[1] : NULL};
    transfer->resolve[1] = (struct curl_slist){.data = text->data + forgotten};
    return curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, transfer->resolve) == CURLE_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

static cw_fetch_naming transfer_name_settle(cw_fetch_transfer *transfer, const cw_fetch_host *host,
                                            const cw_names_answer *answer)
{
    cw_names_verdict verdict = answer->verdict;
    if (verdict == CW_NAME_KNOWN && tell_libcurl(transfer, host, crawl_buf_slice(&answer->addresses)))
        verdict = CW_NAME_MEMORY;
    transfer->named = verdict == CW_NAME_KNOWN || verdict == CW_NAME_SYSTEM;
    if (!transfer->named)
        stop_by(transfer, verdict);
    return transfer->named ? CW_NAMING_DONE : CW_NAMING_FAILED;
}

static cw_fetch_naming transfer_name_ask(cw_fetch_transfer *transfer, cw_dns_resolver *resolver,
                                         const cw_fetch_host *host)
{
    cw_names_answer answer = {0};
    bool there = cw_dns_resolver_ask(resolver, crawl_slice_of(host->text, host->name_size), &transfer->name, &answer);
    cw_fetch_naming naming = there ? transfer_name_settle(transfer, host, &answer) : CW_NAMING_WAITS;
    crawl_buf_free(&answer.addresses);
    return naming;
}

/* Returns true if we resolve the host's name. With a proxy, the proxy does. */
static bool transfer_name_is_ours(const cw_fetch_transfer *transfer, const cw_dns_resolver *resolver)
{
    return resolver && !transfer->named && !transfer->proxied;
}

cw_fetch_naming cw_fetch_transfer_find_name(cw_fetch_transfer *transfer, cw_dns_resolver *resolver)
{
    static char loopback[] = "127.0.0.1,[::1]";
    static const cw_names_answer direct = {.verdict = CW_NAME_KNOWN};
    static const cw_names_answer local = {.verdict = CW_NAME_KNOWN,
                                          .addresses = {.data = loopback, .size = sizeof loopback - 1}};
    cw_fetch_host host;
    if (!transfer_name_is_ours(transfer, resolver))
        return CW_NAMING_DONE;
    curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, NULL);
    crawl_err err = cw_fetch_host_of_url(cw_fetch_request_url(&transfer->request), &host);
    if (err == CRAWL_EPARSE) /* libcurl reports why */
        return CW_NAMING_DONE;
    if (err) {
        stop_by(transfer, CW_NAME_MEMORY);
        return CW_NAMING_FAILED;
    }
    switch (host.kind) {
    case CW_HOST_NAME:
        return transfer_name_ask(transfer, resolver, &host);
    case CW_HOST_DIRECT:
        return transfer_name_settle(transfer, &host, &direct);
    case CW_HOST_LOCAL:
        return transfer_name_settle(transfer, &host, &local);
    default:
        stop_by(transfer, host.kind == CW_HOST_NOWHERE ? CW_NAME_ABSENT : CW_NAME_BAD);
        return CW_NAMING_FAILED;
    }
}

cw_fetch_naming cw_fetch_transfer_take_name(cw_fetch_transfer *transfer, const cw_names_answer *answer,
                                            int64_t waited_ms)
{
    cw_fetch_host host;
    transfer->waited_ms = waited_ms;
    if (cw_fetch_host_of_url(cw_fetch_request_url(&transfer->request), &host)) {
        stop_by(transfer, CW_NAME_MEMORY);
        return CW_NAMING_FAILED;
    }
    return transfer_name_settle(transfer, &host, answer);
}
