#include "crawler/engine/host/host_ports.h"

#include "base/bytes.h"

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
