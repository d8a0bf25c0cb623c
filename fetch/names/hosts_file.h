/* The hosts file (hosts(5)): names that need no name server. It is read once and never changes, so threads may share
 * it. */
#ifndef CW_DNS_HOSTS_FILE_H
#define CW_DNS_HOSTS_FILE_H

#include <crawl/base.h>

typedef struct cw_dns_hosts_file cw_dns_hosts_file;

/* Reads the file at path; empty if path is NULL or the file cannot be read. Returns NULL if there is no memory. */
cw_dns_hosts_file *cw_dns_hosts_file_load(const char *path);
void cw_dns_hosts_file_free(cw_dns_hosts_file *hosts);

/* All addresses of a name, which is in lower case, in the form that CURLOPT_RESOLVE takes; empty: the file has none. */
crawl_slice cw_dns_hosts_file_find(const cw_dns_hosts_file *hosts, crawl_slice name);

#endif
