#include "tools/report/files/report_file.h"

#include <stdio.h>

crawl_err cw_survey_file_begin(cw_survey_file *file, const char *path, crawl_error *error)
{
    *file = (cw_survey_file){.to.out = &file->text, .is_stdout = strcmp(path, "-") == 0, .error = error};
    return file->is_stdout ? CRAWL_OK : cw_replace_begin(&file->replace, path, 0666, error);
}

static void report_file_flush(cw_survey_file *file)
{
    crawl_slice text = crawl_buf_slice(&file->text);
    if (file->to.err)
        return;
    if (file->is_stdout)
        fwrite(text.data, 1, text.size, stdout); /* main() tells whether that failed */
    else
        file->to.err = cw_replace_write(&file->replace, text.data, text.size, file->offset, file->error);
    file->offset += text.size;
    crawl_buf_clear(&file->text);
}

void cw_survey_file_row(cw_survey_file *file)
{
    enum { MUCH = 256 * 1024 };
    if (file->text.size >= MUCH)
        report_file_flush(file);
}

crawl_err cw_survey_file_end(cw_survey_file *file, crawl_err err)
{
    if (!err && file->text.size)
        report_file_flush(file);
    if (!err)
        err = file->to.err;
    crawl_buf_free(&file->text);
    return file->is_stdout ? err : cw_replace_end(&file->replace, err, file->error);
}
