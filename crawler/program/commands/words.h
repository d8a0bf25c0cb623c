/* The words of the command line, `crawl WORD`. Some are functions of the program, some executables of their own. */
#pragma once

typedef struct cw_command_word {
    const char *name;
    int (*run)(int argc, char **argv); /* NULL: an executable */
    const char *help;                  /* NULL: it is the executable's to say; see cw_command_help */
    const char *summary;
} cw_command_word;

/* The last has no name. */
extern const cw_command_word cw_command_words[];

/* NULL: there is no such word. */
const cw_command_word *cw_command_find(const char *name);
/* argv[0] is the word. The exit status; an executable's replaces the process. */
int cw_command_run(const cw_command_word *word, int argc, char **argv);
/* The output of --help: the same text until the process ends. Empty, after a message: an executable did not run. */
const char *cw_command_help(const cw_command_word *word);
