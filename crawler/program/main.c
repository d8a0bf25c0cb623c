/* The program. If the first word of the command line names a tool, the tool runs; otherwise it crawls. */
#include "base/text/nearest.h"
#include "crawler/program/commands/command_man.h"
#include "crawler/program/commands/complete.h"
#include "crawler/program/commands/words.h"
#include "crawler/program/crawl_command.h"
#include "crawler/program/foreign_options.h"
#include "crawler/program/help.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "; did you mean \"report\"?"; nothing where no tool has a name like that. */
static crawl_buf suggest(const char *name)
{
    crawl_buf said = {0};
    cw_nearest nearest = {.text = crawl_slice_from(name)};
    for (const cw_command_word *word = cw_command_words; word->name; word++)
        cw_nearest_offer(&nearest, word->name);
    cw_nearest_offer(&nearest, "help");
    if (nearest.best)
        crawl_buf_printf(&said, "; did you mean \"%s\"?", nearest.best);
    return said;
}

static int no_tool(const char *before, const char *name)
{
    crawl_buf suggestion = suggest(name);
    cw_tool_say(NULL, "%sthere is no tool \"%s\"%s", before, name,
                suggestion.size ? suggestion.data : "; `crawl help` lists them");
    crawl_buf_free(&suggestion);
    return CW_EXIT_USAGE;
}

/* Is the first word the name of a tool with a mistake in it? A word of letters alone is no URL. */
static bool is_mistyped(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    crawl_buf suggestion = *name && !name[size] ? suggest(name) : (crawl_buf){0};
    bool is_near = suggestion.size > 0;
    crawl_buf_free(&suggestion);
    return is_near;
}

static int help(const char *name)
{
    if (!name) {
        cw_program_help_short(stdout);
        puts("\nTools (`crawl help TOOL` explains one):");
        for (const cw_command_word *word = cw_command_words; word->name; word++)
            printf("  crawl %-8s %s\n", word->name, word->summary);
        return CW_EXIT_OK;
    }
    if (strcmp(name, "all") == 0) {
        cw_program_help(stdout);
        return CW_EXIT_OK;
    }
    if (cw_program_help_group(name, stdout))
        return CW_EXIT_OK;
    const cw_command_word *found = cw_command_find(name);
    char option[] = "--help";
    char *asking[] = {option, option, NULL};
    if (found && !found->run)
        return cw_command_run(found, 2, asking);
    if (found)
        return cw_tool_output_text(found->help);
    return no_tool("help: ", name);
}

/* Says what does the same here as an option that a crawl refuses does elsewhere: in another crawler or in a tool. */
static void say_whose(const char *option)
{
    char *own = cw_program_printed(cw_program_help);
    char without[64] = "";
    if (strncmp(option, "--", 2) == 0)
        snprintf(without, sizeof without, "--no-%s", option + 2);
    bool is_own = !own || cw_command_help_names(own, option) || cw_command_help_names(own, without);
    const char *here = is_own ? NULL : cw_program_foreign_option(option);
    if (here)
        cw_tool_say(NULL, "in place of %s crawl takes %s", option, here);
    for (const cw_command_word *word = cw_command_words; word->name && !is_own; word++)
        if (cw_command_help_names(cw_command_help(word), option)) {
            cw_tool_say(NULL, "`crawl %s` has %s", word->name, option);
            break;
        }
    free(own);
}

static int main_crawl(int argc, char **argv)
{
    int status = cw_program_crawl(argc, argv);
    for (int i = 1; i < argc && status == CW_EXIT_USAGE; i++) {
        char *option = strndup(argv[i], strcspn(argv[i], "="));
        if (option)
            say_whose(option);
        free(option);
    }
    return status;
}

static bool asks_for_help(const char *option)
{
    return strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0;
}

static int main_run(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(first, "help") == 0 && strcmp(argv[2], "--man") == 0)
        return cw_command_man(argv[3]);
    if (argc > 2 && strcmp(first, "help") == 0 && strcmp(argv[2], "--complete") == 0)
        return cw_command_complete(argc - 3, argv + 3);
    if (strcmp(first, "help") == 0 || (argc <= 3 && asks_for_help(first)))
        return help(argc > 2 ? argv[2] : NULL);
    const cw_command_word *found = cw_command_find(first);
    if (found && argc > 2 && asks_for_help(argv[2]))
        return help(first);
    if (!found && is_mistyped(first))
        return no_tool("", first);
    return found ? cw_command_run(found, argc - 1, argv + 1) : main_crawl(argc, argv);
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, main_run);
}
