/* crawl-pdf: converts a PDF on standard input to an HTML page on standard output. A process reads one document and
 * ends, so that a document which breaks poppler breaks nothing else. */
#include "tools/common/status.h"
#include "tools/pdf/pdf_text.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <stdlib.h>
#include <unistd.h>

/* Below the fence's limit: of a long document only a part of the text is read, but all links. */
#define TEXT_SECONDS 12.0

static const char pdf_help[] = "usage: crawl-pdf <FILE.pdf\n"
                               "\n"
                               "Prints what a PDF says as an HTML page: title, paragraphs and links. A crawl with\n"
                               "--pdf runs it for each PDF, and crawl links and crawl text do for a file. Before it\n"
                               "reads it gives up the network, other files, other programs, memory beyond 512 MiB\n"
                               "and processor time beyond 20 seconds.\n"
                               "\n"
                               "A line on standard error says where a document has no text, or not all of it.\n"
                               "Exit status: 0, 1 no PDF that can be read, 2 usage, 4 this system.\n";

/* --- standard error --- */

/* A copy, because poppler's own messages are discarded. */
static int pdf_errors = STDERR_FILENO;

static void pdf_say(const char *words)
{
    (void)!write(pdf_errors, words, strlen(words));
    (void)!write(pdf_errors, "\n", 1);
}

static void pdf_hush(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pdf_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (nothing >= 0)
        dup2(nothing, STDERR_FILENO);
}

/* --- the document --- */

static GBytes *pdf_read_input(void)
{
    enum { STEP = 1 << 16 };
    GByteArray *all = g_byte_array_new();
    ssize_t got;
    do {
        guint had = all->len;
        g_byte_array_set_size(all, had + STEP);
        got = read(STDIN_FILENO, all->data + had, STEP);
        g_byte_array_set_size(all, had + (got > 0 ? (guint)got : 0));
    } while (got > 0 || (got < 0 && errno == EINTR));
    return g_byte_array_free_to_bytes(all);
}

static void pdf_say_lack(const cw_pdf_text *text, bool has_text)
{
    char words[80];
    if (!text->letters && text->pages_read == text->pages)
        pdf_say("no text: pictures of pages");
    else if (!has_text)
        pdf_say("no text: its fonts do not map to letters");
    if (text->pages_read < text->pages) {
        snprintf(words, sizeof words, "text of %d of %d pages", text->pages_read, text->pages);
        pdf_say(words);
    }
}

static int pdf_convert(PopplerDocument *document)
{
    enum { UNMAPPED_PART = 10 };
    cw_pdf_text text;
    cw_pdf_text_read(document, TEXT_SECONDS, &text);
    cw_pdf_text_leave_out(&text);
    bool has_text = text.unmapped * UNMAPPED_PART <= text.letters;
    char *title = cw_pdf_title(document, &text);
    cw_pdf_html_write(&text, title, has_text, stdout);
    pdf_say_lack(&text, has_text);
    return fflush(stdout) || ferror(stdout) ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int pdf_run(void)
{
    GError *error = NULL;
    GBytes *bytes = pdf_read_input();
    PopplerDocument *document = poppler_document_new_from_bytes(bytes, NULL, &error);
    if (document)
        return pdf_convert(document);
    pdf_say(g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED) ? "a password is needed"
                                                                           : "not a whole PDF");
    return CW_EXIT_NOTHING;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        bool is_asked = strcmp(argv[1], "--help") == 0;
        fputs(pdf_help, is_asked ? stdout : stderr);
        return is_asked ? CW_EXIT_OK : CW_EXIT_USAGE;
    }
    (void)iconv_open("UTF-8", "UTF-16BE"); /* loads the decoder of titles: nothing can be loaded behind the fence */
    pdf_hush();
    const char *failed = cw_pdf_fence_raise();
    if (failed) {
        char words[120];
        snprintf(words, sizeof words, "crawl-pdf: cannot raise its fence (%s: %s)", failed, strerror(errno));
        pdf_say(words);
        return CW_EXIT_LOCAL;
    }
    _exit(pdf_run()); /* nothing is freed: the process ends here */
}
