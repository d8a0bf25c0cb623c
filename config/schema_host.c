/* The rows of a [host NAME] section: see schema.c. */
#include "config/choices.h"
#include "config/schema.h"

#define RANGE(low, high) .min = low, .max = high
#define HOST(field) .offset = offsetof(crawl_host_config, field), .size = sizeof((crawl_host_config *)0)->field

static const cw_config_key host_keys[] = {
    {"host", "hosts", CW_STRING, HOST(hosts),
     .help = "only in a [group NAME]: its hosts, each written as the NAME of a [host NAME]"},
    {"host", "header", CW_HEADER, HOST(headers),
     .help = "a header for the host; repeatable; the last of a name counts; without a value none of that name is sent"},
    {"host", "user", CW_STRING, HOST(user), .help = "user name (HTTP authentication, scheme Basic)"},
    {"host", "password", CW_STRING, HOST(password), .secret = true,
     .help = "its password; never printed nor kept by --state"},
    {"host", "password_file", CW_PATH, HOST(password_file), .help = "file with the password in its first line"},
    {"host", "bearer", CW_STRING, HOST(bearer), .secret = true,
     .help = "token for Authorization: Bearer; never printed nor kept by --state"},
    {"host", "bearer_file", CW_PATH, HOST(bearer_file), .help = "file with the token in its first line"},
    {"host", "proxy", CW_ROUTE, HOST(proxy), .help = "proxy for the host, instead of that of [fetch]; direct: none"},
    {"host", "client_cert", CW_PATH, HOST(client_cert), .help = "certificate to show to the host, PEM"},
    {"host", "client_key", CW_PATH, HOST(client_key), .help = "its private key, PEM, if it is in another file"},
    {"host", "ca_file", CW_PATH, HOST(ca_file),
     .help = "certificates to trust there, PEM, instead of those of [fetch]"},
    {"host", "delay", CW_DURATION, HOST(delay_ms), RANGE("0ms", "1d"), .help = "politeness.delay of this host"},
    {"host", "per_host", CW_UINT, HOST(per_host), RANGE("1", "1000"), .help = "politeness.per_host of this host"},
    {"host", "rate_limit", CW_RATE, HOST(rate_limit), RANGE("1", "1000G"),
     .help = "politeness.host_rate_limit of this host"},
    {"host", "max_pages", CW_COUNT, HOST(max_pages), RANGE("1", "1000000T"),
     .help = "crawl.max_pages_per_host of this host"},
    {"host", "share", CW_UINT, HOST(share), RANGE("1", "1000"),
     .help = "turns of the host for each turn of another, breadth first, while no pause holds it; others have 1"},
    {"host", "sign", CW_ENUM, HOST(sign), .choices = cw_config_signs, .help = "identity.sign of this host"},
    {"host", "form", CW_ENUM, HOST(form), .choices = cw_config_sign_forms, .help = "identity.form of this host"},
    {"host", "withheld", CW_STRING, HOST(withheld),
     .help = "secrets left out when this was printed; set them again before a crawl starts"},
};

_Static_assert(sizeof host_keys / sizeof *host_keys <= CW_CONFIG_SCHEMA_HOST_MAX, "raise CW_CONFIG_SCHEMA_HOST_MAX");

const cw_config_key *cw_config_schema_host(size_t *count)
{
    *count = sizeof host_keys / sizeof *host_keys;
    return host_keys;
}
