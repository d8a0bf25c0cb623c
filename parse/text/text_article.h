/* The text of an article: where it is on its page, and the parts in it or beside it that do not belong to it: the
 * byline, captions, sharing links, related stories, comments. On other kinds of pages such parts are the content, so a
 * page must first be recognized as an article. */
#pragma once

#include "parse/text/text_kind.h"
#include "parse/text/text_tree.h"

/* Returns true if the page is one article. Needs the sums of words, and weights. */
bool cw_text_article_is_one(const cw_text_tree *tree, cw_text_kind kind);

/* Drops comments. The weights must be summed up again. */
void cw_text_article_drop_comments(cw_text_tree *tree);

/* Marks the parts that hold the article as inside. false: the page names none. */
bool cw_text_article_mark(cw_text_tree *tree);

/* Drops text inside that is not the article's. */
void cw_text_article_prune(cw_text_tree *tree);

/* Keeps the standfirst, if it and the title are above the part that holds the article. */
void cw_text_article_keep_standfirst(cw_text_tree *tree);

/* Drops lines that are only links, and everything before the first and after the last sentence of the text. images:
 * standalone ones stay. */
void cw_text_article_trim(cw_text_tree *tree, bool images);
