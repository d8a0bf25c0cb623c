#include "fetch/identity/signed_request.h"

#include "base/error.h"
#include "base/header.h"
#include "base/sized.h"

/* Maximum number of fields that an origin may ask to have signed, counting each line of a repeated name. */
enum { MAX_ASKED = 8 };

bool cw_identity_signs(const crawl_signing *signing, const char *url)
{
    crawl_signing own;
    signing = signing ? cw_sized(&own, sizeof own, signing) : NULL;
    return signing && ((signing->http && !signing->asked) || cw_starts_nocase(crawl_slice_from(url), "https://"));
}

/* Finds the fields of the request that an origin may ask for, as they are sent. */
static size_t find_fields(const cw_fetch_request *request, const char *user_agent, crawl_header fields[MAX_ASKED])
{
    static const char *const names[] = {"User-Agent", "Accept", "Accept-Language"};
    size_t count = 0;
    bool has_agent = false;
    crawl_header field;
    for (const struct curl_slist *line = request->sent; line && count < MAX_ASKED; line = line->next) {
        if (!cw_header_split(crawl_slice_from(line->data), &field.name, &field.value) ||
            !cw_is_among(field.name, names, sizeof names / sizeof *names))
            continue;
        has_agent = has_agent || cw_is_nocase(field.name, "User-Agent");
        if (field.value.size) /* otherwise it is not sent */
            fields[count++] = field;
    }
    if (user_agent && !has_agent && count < MAX_ASKED)
        fields[count++] = (crawl_header){crawl_slice_from("User-Agent"), crawl_slice_from(user_agent)};
    return count;
}

/* Makes a list of the lines, followed by those of the request. */
static struct curl_slist *link_lines(cw_identity_signed *lines, const struct curl_slist *sent)
{
    size_t count = 0;
    char *at = lines->text.data;
    for (char *end; count < CW_IDENTITY_MAX_LINES && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        lines->lines[count] = (struct curl_slist){.data = at, .next = &lines->lines[count + 1]};
        count++;
    }
    lines->lines[count - 1].next = (struct curl_slist *)(uintptr_t)sent;
    return lines->lines;
}

crawl_err cw_identity_sign_request(cw_identity_signed *lines, const crawl_signing *signing, cw_fetch_request *request,
                                   const char *user_agent, int64_t now_s, CURL *easy, crawl_error *error)
{
    crawl_header fields[MAX_ASKED];
    const crawl_message message = {.size = sizeof message,
                                   .method = request->method,
                                   .url = crawl_slice_from(cw_fetch_request_url(request)),
                                   .headers = fields,
                                   .header_count = find_fields(request, user_agent, fields),
                                   .body = request->body};
    crawl_buf_clear(&lines->text);
    crawl_err err = crawl_sign(signing, &message, now_s, &lines->text, error);
    if (err)
        return err;
    CURLcode code = cw_fetch_request_replace(request, link_lines(lines, request->sent), easy);
    return code == CURLE_OK ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}
