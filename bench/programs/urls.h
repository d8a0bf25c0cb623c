/* URLs for benchmarks: realistic, about 60 bytes, made from a counter. Different numbers give different URLs. */
#pragma once

#include "bench/programs/keys.h"

/* Room for a URL. */
#define URL_ROOM 128

/* Returns a uniform number below `most`, from a uniform one of 64 bits. */
static inline uint64_t below(uint64_t dice, uint64_t most)
{
    __extension__ unsigned __int128 product = (unsigned __int128)dice * most;
    return (uint64_t)(product >> 64);
}

/* Writes one of 32 words, chosen by five bits. */
static inline char *put_word(char *to, uint64_t bits)
{
    static const struct {
        char text[8];
    } words[32] = {{"news"},    {"archive"}, {"garden"}, {"market"}, {"silver"}, {"river"},  {"health"}, {"open"},
                   {"science"}, {"world"},   {"city"},   {"travel"}, {"music"},  {"winter"}, {"summer"}, {"local"},
                   {"report"},  {"review"},  {"forum"},  {"user"},   {"topic"},  {"photo"},  {"store"},  {"product"},
                   {"blog"},    {"press"},   {"energy"}, {"north"},  {"south"},  {"data"},   {"code"},   {"paper"}};
    const char *word = words[bits & 31].text;
    memcpy(to, word, sizeof words->text);
    return to + strlen(word);
}

static inline char *put_text(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

static inline char *put_number(char *to, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return put_text(to, digits + at, sizeof digits - at);
}

#define PUT(to, literal) put_text(to, literal, sizeof literal - 1)

/* Writes the URL of a number, without NUL, and returns its size. A host has 64 URLs. */
static inline size_t make_url(uint64_t number, char url[URL_ROOM])
{
    uint64_t host = mix(number >> 6), page = mix(~number);
    char *to = PUT(url, "https://");
    to = put_word(to, host);
    to = put_word(to, host >> 5);
    to = put_number(to, host >> 10 & 0xffff);
    to = host >> 63 ? PUT(to, ".example/") : PUT(to, ".example.org/");
    to = put_word(to, page);
    *to++ = '/';
    to = put_word(to, page >> 5);
    *to++ = '-';
    to = put_number(to, number);
    to = page >> 62 ? PUT(to, ".html") : PUT(to, "?page=2");
    return (size_t)(to - url);
}
