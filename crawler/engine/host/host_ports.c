#include "crawler/engine/host/host_ports.h"

#include "base/bytes.h"

#include <stdlib.h>

/* The list in the standard's order, which is by number. */
static const uint16_t bad[] = {
    0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,    42,   43,
    53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,   117,  119,
    123,  135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,   530,  531,
    532,  540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720,  1723, 2049,
    3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
};

static int host_ports_compare(const void *a, const void *b)
{
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

bool cw_host_port_is_bad(unsigned port)
{
    uint16_t key = (uint16_t)port;
    return bsearch(&key, bad, sizeof bad / sizeof *bad, sizeof *bad, host_ports_compare) != NULL;
}

static bool host_ports_take_number(crawl_slice *text, unsigned *out)
{
    unsigned value = 0;
    size_t digits = 0;
    for (; digits < text->size && digits < 6 && cw_is_digit((unsigned char)text->data[digits]); digits++)
        value = value * 10 + (unsigned)(text->data[digits] - '0');
    *text = crawl_slice_of(text->data + digits, text->size - digits);
    *out = value;
    return digits > 0 && value <= UINT16_MAX;
}

/* Adds NUMBER or NUMBER-NUMBER. False: the word is neither. */
static bool host_ports_add(cw_host_ports *ports, crawl_slice word)
{
    unsigned first, last;
    if (!host_ports_take_number(&word, &first))
        return false;
    last = first;
    if (word.size && word.data[0] == '-') {
        word = crawl_slice_of(word.data + 1, word.size - 1);
        if (!host_ports_take_number(&word, &last))
            return false;
    }
    for (unsigned port = first; port <= last; port++)
        ports->bits[port / 8] |= (uint8_t)(1u << port % 8);
    return !word.size && first <= last;
}

bool cw_host_ports_parse(const char *list, cw_host_ports *out)
{
    *out = (cw_host_ports){0};
    while (list && *list) {
        size_t size = strcspn(list, ", \t");
        if (size && !host_ports_add(out, crawl_slice_of(list, size)))
            return false;
        list += size + (list[size] != '\0');
    }
    return true;
}

bool cw_host_ports_have(const cw_host_ports *ports, unsigned port)
{
    return port <= UINT16_MAX && (ports->bits[port / 8] >> port % 8 & 1);
}
