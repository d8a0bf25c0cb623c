#include "parse/text/text_formula.h"

void cw_text_formula_begin(cw_text_writer *writer)
{
    writer->formula.is_open = true;
    writer->formula.space = writer->space;
    writer->formula.line = writer->line;
    writer->formula.at = writer->out->size;
    writer->formula.signs = writer->signs.count;
    writer->formula.words = writer->words;
    writer->formula.link_words = writer->link_words;
}

bool cw_text_formula_drop(cw_text_writer *writer)
{
    bool is_open = writer->formula.is_open;
    for (unsigned i = 0; i < writer->mark_count; i++)
        is_open = is_open && !(writer->marks[i].kind == CW_MARK_LINK && writer->marks[i].written &&
                               writer->marks[i].at > writer->formula.at);
    cw_text_formula_end(writer);
    if (!is_open)
        return false;
    cw_text_writer_cut(writer, writer->formula.at, writer->formula.signs);
    writer->space = writer->formula.space;
    writer->line = writer->formula.line;
    writer->words = writer->formula.words;
    writer->link_words = writer->formula.link_words;
    return true;
}
