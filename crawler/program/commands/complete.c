/* A help text names an option on a line of its own, "  --name ARGUMENT  words". These lines are the table for
 * completing options. The values of an option come from the schema. */
#include "crawler/program/commands/commands.h"

#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/program/commands/words.h"
#include "crawler/program/help.h"
#include "tools/common/status.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct help_option {
    crawl_slice name;     /* with dashes */
    crawl_slice argument; /* as in the help; empty: no argument */
    crawl_slice about;    /* first line of words; empty if they begin on the next line */
} help_option;

/* The word being completed, and the option whose value it is. */
typedef struct completion {
    const cw_command_word *tool; /* NULL: the crawl itself */
    const char *help;
    const char *option;    /* NULL: not a value */
    const char *beginning; /* of the word being typed */
    bool is_first;
} completion;

static void offer(const completion *at, crawl_slice candidate, crawl_slice about)
{
    if (!cw_starts_with(candidate, at->beginning))
        return;
    fwrite(candidate.data, 1, candidate.size, stdout);
    if (about.size) {
        putchar('\t');
        fwrite(about.data, 1, about.size, stdout);
    }
    putchar('\n');
}

/* --- options, from a help text --- */

/* Splits *text at the first run of these blanks; *text keeps the rest. */
static crawl_slice take_until(crawl_slice *text, const char *blanks)
{
    crawl_slice taken = cw_take(text, cw_find_text(*text, blanks));
    while (cw_take_text(text, " "))
        continue;
    return taken;
}

static bool complete_read_option(crawl_slice line, help_option *out)
{
    if (!cw_starts_with(line, "  -"))
        return false;
    line = cw_drop(line, 2);
    crawl_slice tag = take_until(&line, "  ");
    out->about = line;
    out->name = take_until(&tag, " ");
    if (out->name.data[out->name.size - 1] == ',') /* "-z, --zero" */
        out->name = take_until(&tag, " ");
    out->argument = tag;
    return cw_starts_with(out->name, "--");
}

static bool next_option(crawl_slice *text, help_option *out)
{
    while (text->size)
        if (complete_read_option(cw_cut_line(text), out))
            return true;
    return false;
}

static bool find_option(const char *help, const char *name, help_option *out)
{
    crawl_slice text = crawl_slice_from(help);
    while (next_option(&text, out))
        if (cw_is(out->name, name))
            return true;
    return false;
}

bool cw_command_help_names(const char *help, const char *option)
{
    help_option found;
    return find_option(help, option, &found);
}

static void complete_offer_options(const completion *at)
{
    help_option option;
    for (crawl_slice text = crawl_slice_from(at->help); next_option(&text, &option);)
        offer(at, option.name, option.about);
}

/* --- values --- */

static void offer_paths(crawl_slice argument)
{
    static const struct {
        const char *argument;
        const char *offered;
    } paths[] = {{"FILE", ":files"}, {"F", ":files"}, {"ROBOTS", ":files"}, {"PREFIX", ":files"}, {"DIR", ":folders"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (cw_is(argument, paths[i].argument))
            puts(paths[i].offered);
}

/* Returns the words of a help text about an option: its line and the next lines, up to the next option or a blank
 * line. */
static crawl_slice complete_words_of(const help_option *option)
{
    crawl_slice text = crawl_slice_from(option->about.data ? option->about.data : "");
    text = cw_take(&text, cw_find_text(text, "\n\n"));
    return cw_take(&text, cw_find_text(text, "\n  --"));
}

static bool is_one_word(crawl_slice text)
{
    return text.size && cw_find_any(text, " \n\"") == text.size;
}

/* Offers the words of a list, which follow a colon in the help. Words before the last comma stay as typed. */
static void offer_list(const completion *at, const help_option *option)
{
    crawl_buf whole = {0};
    crawl_slice typed = crawl_slice_from(at->beginning);
    crawl_slice rest = complete_words_of(option);
    const char *comma = strrchr(at->beginning, ',');
    size_t kept = comma ? (size_t)(comma - at->beginning) + 1 : 0;
    (void)cw_take(&rest, cw_find_text(rest, ": "));
    (void)cw_take_text(&rest, ": ");
    while (rest.size && !crawl_buf_append(&whole, typed.data, kept)) {
        crawl_slice word = cw_trim(cw_cut(&rest, ','));
        if (is_one_word(word) && !crawl_buf_append(&whole, word.data, word.size))
            offer(at, crawl_buf_slice(&whole), (crawl_slice){0});
        crawl_buf_clear(&whole);
    }
    crawl_buf_free(&whole);
}

static void offer_values(const completion *at)
{
    help_option option;
    const char *choice;
    for (size_t i = 0; !at->tool && (choice = crawl_config_choice(at->option + 2, i)); i++)
        offer(at, crawl_slice_from(choice), (crawl_slice){0});
    if (!find_option(at->help, at->option, &option))
        return;
    offer_paths(option.argument);
    if (at->tool && cw_is(option.argument, "LIST"))
        offer_list(at, &option);
}

/* --- the line --- */

static bool takes_value(const char *help, const char *word)
{
    help_option option;
    return find_option(help, word, &option) && option.argument.size && option.argument.data[0] != '[';
}

/* Finds the word being typed: the value in "--option" "=" "value" or "--option" "value", or any other word. */
static void complete_find_place(completion *at, int count, char **typed)
{
    at->beginning = typed[count - 1];
    int before = count - 2;
    if (strcmp(at->beginning, "=") == 0)
        at->beginning = "";
    else if (before >= 0 && strcmp(typed[before], "=") == 0)
        before--;
    if (before >= 0 && takes_value(at->help, typed[before]))
        at->option = typed[before];
}

static void offer_words(const completion *at)
{
    for (const cw_command_word *word = cw_command_words; at->is_first && word->name; word++)
        offer(at, crawl_slice_from(word->name), crawl_slice_from(word->summary));
    if (at->is_first)
        offer(at, crawl_slice_from("help"), crawl_slice_from("explains the options, or a tool"));
    if (at->tool)
        puts(strcmp(at->tool->name, "inspect") == 0 ? ":folders" : ":files");
}

int cw_command_complete(int count, char **typed)
{
    char *help = cw_program_printed(cw_program_help);
    if (!help)
        return CW_EXIT_LOCAL;
    completion at = {.help = help, .is_first = count == 1};
    at.tool = count > 1 ? cw_command_find(typed[0]) : NULL;
    if (at.tool)
        at.help = cw_command_help(at.tool);
    at.is_first |= count == 2 && strcmp(typed[0], "help") == 0;
    if (count)
        complete_find_place(&at, count, typed);
    if (count && at.option)
        offer_values(&at);
    else if (count && at.beginning[0] == '-')
        complete_offer_options(&at);
    else if (count)
        offer_words(&at);
    free(help);
    return CW_EXIT_OK;
}
