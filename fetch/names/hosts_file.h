/* The hosts file (hosts(5)): names that need no name server. Immutable. */
#ifndef CW_DNS_HOSTS_FILE_H
#define CW_DNS_HOSTS_FILE_H

#include <crawl/base.h>

typedef struct cw_dns_hosts_file cw_dns_hosts_file;

/* path NULL, or a file that cannot be read: empty. NULL: no memory. */
cw_dns_hosts_file *cw_dns_hosts_file_load(const char *path);
void cw_dns_hosts_file_free(cw_dns_hosts_file *hosts);

/* All addresses of a name in lower case, as CURLOPT_RESOLVE takes them; empty: none. */
crawl_slice cw_dns_hosts_file_find(const cw_dns_hosts_file *hosts, crawl_slice name);

#endif
