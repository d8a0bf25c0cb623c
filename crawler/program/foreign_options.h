/* Options that people bring along from other crawlers: wget, httrack, Scrapy, curl and their like. */
#ifndef CW_PROGRAM_FOREIGN_OPTIONS_H
#define CW_PROGRAM_FOREIGN_OPTIONS_H

/* The option of crawl that does what this one does elsewhere, as "--depth N", perhaps with a word behind it; NULL:
 * nobody knows it. option: with its dashes, without a value. */
const char *cw_program_foreign_option(const char *option);

#endif
