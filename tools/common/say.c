#include "tools/common/say.h"

#include "tools/common/messages/message.h"

void cw_tool_escape_print(crawl_slice text, FILE *out)
{
    char piece[CW_ESCAPE_PIECE];
    while (text.size) {
        size_t size = cw_escape_take(&text, piece);
        fwrite(piece, 1, size, out);
    }
}

void cw_tool_say(const char *tool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cw_message_vsay(CW_MESSAGE_ERROR, tool, format, arguments);
    va_end(arguments);
}
