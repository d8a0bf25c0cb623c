/* Ports that browsers block, and lists of ports. */
#include "base/net.h"
#include "crawler/engine/host/guard.h"

#include <criterion/criterion.h>

Test(ports, those_that_browsers_block)
{
    static const unsigned bad[] = {0,   1,    7,    21,   22,   25,   110,  143,  465,  587,  989,
                                   995, 2049, 4190, 6000, 6665, 6667, 6669, 6679, 6697, 10080};
    static const unsigned good[] = {2,    80,   81,   443,  591,  1024, 3000,  3128,  5000, 6001,
                                    6664, 6670, 8000, 8080, 8443, 9200, 10079, 10081, 65535};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect(cw_bad_port(bad[i]), "%u", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect_not(cw_bad_port(good[i]), "%u", good[i]);
    unsigned count = 0;
    for (unsigned port = 0; port < 65536; port++)
        count += cw_bad_port(port);
    cr_expect_eq(count, 83, "%u, so each row of the table is found", count);
}

Test(ports, lists)
{
    cw_host_ports ports;
    cr_expect(cw_host_ports_parse(NULL, &ports));
    cr_expect_not(cw_host_ports_have(&ports, 80));
    cr_expect(cw_host_ports_parse(" 80, 9000-9002\t65535,", &ports));
    static const unsigned in[] = {80, 9000, 9001, 9002, 65535};
    static const unsigned out[] = {0, 79, 81, 8999, 9003, 65534, 65536, 1u << 20};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        cr_expect(cw_host_ports_have(&ports, in[i]), "%u", in[i]);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        cr_expect_not(cw_host_ports_have(&ports, out[i]), "%u", out[i]);
}

Test(ports, what_is_no_list)
{
    static const char *const wrong[] = {"http",     "80-",  "-80",   "80-79",   "65536",
                                        "80-65536", "8 0x", "80;81", "1000000", "80-81-82"};
    cw_host_ports ports;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(cw_host_ports_parse(wrong[i], &ports), "%s", wrong[i]);
}
