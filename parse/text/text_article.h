/* The text of an article: where it stands on its page, and what stands in it or beside it and is no part of it: the
 * byline, captions, what to share, related stories, comments. Pages of other kinds have such parts as their content, so
 * an article is told first. */
#pragma once

#include "parse/text/text_kind.h"
#include "parse/text/text_tree.h"

/* Is the page one article? Asks for the sums of words, and weights. */
bool cw_text_article_is_one(const cw_text_tree *tree, cw_text_kind kind);

/* Comments are out. The weights are to be summed up again. */
void cw_text_article_drop_comments(cw_text_tree *tree);

/* Marks the parts that hold the article as inside; false: the page names none. */
bool cw_text_article_mark(cw_text_tree *tree);

/* Text inside that is not the article's is out. */
void cw_text_article_prune(cw_text_tree *tree);

/* Keeps the standfirst, where it and the title stand above the part that holds the article. */
void cw_text_article_keep_standfirst(cw_text_tree *tree);

/* Leaves out lines that are links alone, and what is no sentence before the first and behind the last of the text.
 * images: those that stand by themselves stay. */
void cw_text_article_trim(cw_text_tree *tree, bool images);
