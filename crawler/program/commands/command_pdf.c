#include "crawler/program/commands/command_pdf.h"

#include "base/bytes.h"
#include "base/convert.h"
#include "base/files/executable_path.h"
#include "tools/common/io.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

int cw_command_read_pdf(const char *tool, const char *path, crawl_buf *bytes)
{
    crawl_slice rest = crawl_buf_slice(bytes);
    if (!cw_take_text(&rest, "%PDF-"))
        return CW_EXIT_OK;
    crawl_buf program = {0};
    cw_converted result = {.outcome = "failed"};
    int why = cw_executable_path("pdf", &program);
    why = why ? why : cw_convert_find(program.data);
    if (why)
        cw_tool_say(tool, "%s: a PDF, and %s: %s; in Debian, the package crawl-pdf has it", cw_tool_name(path),
                    program.size ? program.data : "crawl-pdf", strerror(why));
    else
        cw_convert_run((char *[]){program.data, NULL}, crawl_buf_slice(bytes), &result);
    if (*result.words || (!why && !result.page.size))
        cw_tool_say(tool, "%s: %s", cw_tool_name(path), *result.words ? result.words : result.outcome);
    crawl_buf_free(&program);
    crawl_buf_free(bytes);
    *bytes = result.page;
    return why ? CW_EXIT_LOCAL : result.page.size ? CW_EXIT_OK : CW_EXIT_NOTHING;
}
