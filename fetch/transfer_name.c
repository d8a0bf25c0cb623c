/* Finds the addresses that libcurl connects to for a transfer's URL. They are put into libcurl's own cache as entries
 * for this transfer ("+": not for ever), in place of any older ones. */
#include "fetch/host.h"
#include "fetch/transfer.h"

static void stop_by(cw_fetch_transfer *transfer, cw_names_verdict verdict)
{
    bool ours = verdict == CW_NAME_MEMORY;
    cw_fetch_transfer_stop(transfer, ours ? CRAWL_FETCH_LOCAL : CRAWL_FETCH_DNS, cw_names_words(verdict));
}

static crawl_err give_addresses(cw_fetch_transfer *transfer, const cw_fetch_host *host, crawl_slice addresses)
{
    crawl_buf *text = &transfer->resolve_text;
    crawl_buf_clear(text);
    crawl_err err = crawl_buf_printf(text, "+%s:%u:", host->text, host->port);
    if (!err)
        err = crawl_buf_append(text, addresses.data, addresses.size);
    if (err)
        return err;
    transfer->resolve = (struct curl_slist){.data = text->data};
    return curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, &transfer->resolve) == CURLE_OK ? CRAWL_OK : CRAWL_ENOMEM;
}

static cw_fetch_naming settle(cw_fetch_transfer *transfer, const cw_fetch_host *host, const cw_names_answer *answer)
{
    cw_names_verdict verdict = answer->verdict;
    if (verdict == CW_NAME_KNOWN && give_addresses(transfer, host, crawl_buf_slice(&answer->addresses)))
        verdict = CW_NAME_MEMORY;
    transfer->named = verdict == CW_NAME_KNOWN || verdict == CW_NAME_SYSTEM;
    if (!transfer->named)
        stop_by(transfer, verdict);
    return transfer->named ? CW_NAMING_DONE : CW_NAMING_FAILED;
}

static cw_fetch_naming ask(cw_fetch_transfer *transfer, cw_dns_resolver *resolver, const cw_fetch_host *host)
{
    cw_names_answer answer = {0};
    bool there = cw_dns_resolver_ask(resolver, crawl_slice_of(host->text, host->name_size), &transfer->name, &answer);
    cw_fetch_naming naming = there ? settle(transfer, host, &answer) : CW_NAMING_WAITS;
    crawl_buf_free(&answer.addresses);
    return naming;
}

/* Do we resolve the host's name? Through a proxy, the proxy does it. */
static bool is_ours(const cw_fetch_transfer *transfer, const cw_dns_resolver *resolver)
{
    return resolver && !transfer->named && !transfer->proxied;
}

cw_fetch_naming cw_fetch_transfer_find_name(cw_fetch_transfer *transfer, cw_dns_resolver *resolver)
{
    cw_fetch_host host;
    if (!is_ours(transfer, resolver))
        return CW_NAMING_DONE;
    curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, NULL);
    crawl_err err = cw_fetch_host_of_url(cw_fetch_request_url(&transfer->request), &host);
    if (err == CRAWL_EPARSE) /* libcurl says why */
        return CW_NAMING_DONE;
    if (err) {
        stop_by(transfer, CW_NAME_MEMORY);
        return CW_NAMING_FAILED;
    }
    switch (host.kind) {
    case CW_HOST_NAME:
        return ask(transfer, resolver, &host);
    case CW_HOST_DIRECT:
        return CW_NAMING_DONE;
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
    return settle(transfer, &host, answer);
}
