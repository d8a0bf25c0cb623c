#include "crawler/engine/visit/preprocess/preprocessors.h"

#include "base/bytes.h"
#include "base/convert.h"
#include "base/error.h"
#include "base/files/executable_path.h"

#include <errno.h>
#include <stdlib.h>

typedef struct preprocessor {
    crawl_slice type; /* of the configuration */
    char **words;
} preprocessor;

struct cw_visit_preprocessors {
    size_t count;
    preprocessor all[];
};

static const char pdf_type[] = "application/pdf";

static crawl_err preprocessor_read(preprocessor *one, const char *setting, crawl_error *error)
{
    crawl_slice command = crawl_slice_from(setting);
    one->type = cw_cut(&command, '=');
    crawl_err err = cw_convert_split(command, &one->words);
    if (err)
        return crawl_error_set(error, err == CRAWL_EPARSE ? CRAWL_EINVAL : err, "parse.preprocess = %.300s: %s",
                               setting, crawl_strerror(err));
    int why = cw_convert_find(one->words[0]);
    return why ? crawl_error_set(error, CRAWL_EINVAL, "parse.preprocess: %.300s: %s", one->words[0], strerror(why))
               : CRAWL_OK;
}

/* crawl-pdf, beside the program that runs. */
static crawl_err preprocessor_add_pdf(preprocessor *one, crawl_error *error)
{
    crawl_buf path = {0};
    int why = cw_executable_path("pdf", &path);
    one->type = crawl_slice_from(pdf_type);
    one->words = why ? NULL : calloc(1, 2 * sizeof *one->words + path.size + 1);
    if (one->words)
        one->words[0] = memcpy(one->words + 2, path.data, path.size);
    else
        why = why ? why : ENOMEM;
    crawl_buf_free(&path);
    why = why ? why : cw_convert_find(one->words[0]);
    return why ? crawl_error_set(error, CRAWL_EINVAL, "parse.pdf: %.300s: %s; in Debian, the package crawl-pdf has it",
                                 one->words ? one->words[0] : "crawl-pdf", strerror(why))
               : CRAWL_OK;
}

crawl_err cw_visit_preprocessors_create(const crawl_config *config, cw_visit_preprocessors **out, crawl_error *error)
{
    const crawl_texts *texts = &config->preprocess;
    *out = NULL;
    if (!texts->count && !config->pdf)
        return CRAWL_OK;
    cw_visit_preprocessors *all = calloc(1, sizeof *all + (texts->count + 1) * sizeof *all->all);
    if (!all)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = CRAWL_OK;
    for (; all->count < texts->count && !err; all->count++)
        err = preprocessor_read(&all->all[all->count], texts->items[all->count], error);
    if (!err && config->pdf && !cw_visit_preprocessors_find(all, crawl_slice_from(pdf_type), (crawl_slice){0}))
        err = preprocessor_add_pdf(&all->all[all->count++], error);
    if (err)
        cw_visit_preprocessors_free(all);
    else
        *out = all;
    return err;
}

void cw_visit_preprocessors_free(cw_visit_preprocessors *all)
{
    for (size_t i = 0; all && i < all->count; i++)
        free(all->all[i].words);
    free(all);
}

/* Servers that do not know a file's name say that its bytes may be any, or nothing. */
static crawl_slice preprocessor_type(crawl_slice type, crawl_slice body)
{
    bool is_unknown = !type.size || cw_equal_nocase(type, crawl_slice_from("application/octet-stream")) ||
                      cw_equal_nocase(type, crawl_slice_from("binary/octet-stream"));
    return is_unknown && cw_take_text(&body, "%PDF-") ? crawl_slice_from(pdf_type) : type;
}

char *const *cw_visit_preprocessors_find(const cw_visit_preprocessors *all, crawl_slice type, crawl_slice body)
{
    type = preprocessor_type(type, body);
    for (size_t i = 0; i < all->count; i++)
        if (cw_equal_nocase(all->all[i].type, type))
            return all->all[i].words;
    return NULL;
}
