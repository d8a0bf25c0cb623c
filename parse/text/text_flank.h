/* Where marks of emphasis may stand in Markdown (CommonMark 0.31, 6.2): a closing one behind a punctuation character is
 * none where a letter or a digit follows, and likewise an opening one. */
#ifndef CW_TEXT_FLANK_H
#define CW_TEXT_FLANK_H

#include "parse/text/text_writer.h"

/* May an opening mark stand between what was written and this character? */
bool cw_text_flank_opens(const cw_text_writer *writer, crawl_slice next);

/* Before this character is written: moves punctuation before marks that have just ended behind them, or takes the marks
 * away where they hold nothing else, so that they end there for a reader too. CRAWL_ENOMEM. */
crawl_err cw_text_flank_settle(cw_text_writer *writer, crawl_slice next);

/* A mark has ended: its sign stands from `from` on, its text from `content` on. */
void cw_text_flank_note(cw_text_writer *writer, cw_text_mark_kind kind, size_t from, size_t content);

/* Goes on with a mark of this kind that has just ended, in place of ending it and beginning another. False: none has.
 */
bool cw_text_flank_goes_on(cw_text_writer *writer, cw_text_mark *mark);

#endif
