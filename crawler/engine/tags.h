/* crawl_request.tag: the purpose of a request, and its origin. */
#pragma once

#define CW_ENGINE_TAG_ROBOTS 0x80000000u /* a robots.txt */
#define CW_ENGINE_TAG_TDMREP \
    (CW_ENGINE_TAG_ROBOTS | CW_ENGINE_TAG_GUESSED) /* a tdmrep.json, asked for like a robots.txt */
#define CW_ENGINE_TAG_SEED 0x40000000u             /* page: a seed, or the target of a seed's redirect */
#define CW_ENGINE_TAG_SITEMAP 0x20000000u          /* a sitemap */
#define CW_ENGINE_TAG_LLMS \
    (CW_ENGINE_TAG_SITEMAP | CW_ENGINE_TAG_FRAME) /* an llms.txt, whose links count as a sitemap's */
/* A page that was pushed although seen: only its first request is visited again. */
#define CW_ENGINE_TAG_ONCE 0x10000000u
#define CW_ENGINE_TAG_GUESSED 0x08000000u   /* a sitemap that nobody named, or a page that no link leads to */
#define CW_ENGINE_TAG_REQUISITE 0x04000000u /* a part of a page, found only as such */
#define CW_ENGINE_TAG_FRAME 0x02000000u     /* such a part, or a page, that is a document shown by another page */
#define CW_ENGINE_TAG_EXTERNAL 0x01000000u  /* a link that leads out of the crawl, only to be checked */
/* Sitemap: a place where a feed may be (feeds.h). The lower bits of the level are the number of the place. */
#define CW_ENGINE_TAG_FEED 0x00800000u
/* How many indexes lead to a sitemap, or how many parts to a part. */
#define CW_ENGINE_TAG_LEVEL_SHIFT 16
#define CW_ENGINE_TAG_LEVEL_MASK 0xffu
#define CW_ENGINE_TAG_PROBE 0x8000u   /* a page that cannot exist; see probing.h */
#define CW_ENGINE_TAG_PART 0x4000u    /* asked for by a page in the browser; see render/renders.h */
#define CW_ENGINE_TAG_REDIRECTS 0xffu /* redirects in a row that led here */
