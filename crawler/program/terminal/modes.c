#include "crawler/program/terminal/modes.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static const char hide_cursor[] = "\033[?25l";
static const char show_cursor[] = "\033[?25h";

/* Globals, because there is one terminal, and handlers have no argument. */
static int changed_event = -1;
static atomic_bool wants_stop;
static atomic_bool was_continued;
static atomic_bool is_entered;
static atomic_bool has_modes; /* `before` is set, and our modes are in force */
static atomic_uint drawn_lines;
static atomic_bool is_drawing;
static atomic_bool is_given_back;
static sigset_t usual_signals; /* signal mask of the drawing thread, which blocks deadly signals while it draws */
static struct termios before;

/* ---- capabilities ---- */

bool cw_terminal_can_draw(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* A pipe may lead to a pager, which reads the same keys. */
bool cw_terminal_has_keys(void)
{
    struct stat output;
    bool is_piped = fstat(STDOUT_FILENO, &output) == 0 && S_ISFIFO(output.st_mode);
    return isatty(STDIN_FILENO) && !is_piped;
}

cw_terminal_size cw_terminal_size_now(void)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
        return (cw_terminal_size){80, 24};
    return (cw_terminal_size){size.ws_col, size.ws_row};
}

bool cw_terminal_is_ours(void)
{
    pid_t front = tcgetpgrp(STDERR_FILENO);
    return front < 0 ? errno != EIO : front == getpgrp();
}

/* ---- modes ---- */

static void modes_say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* nothing to do if the terminal is gone */
}

void cw_terminal_enter(bool has_keys)
{
    struct termios modes;
    if (atomic_load(&is_entered))
        return;
    if (has_keys && tcgetattr(STDIN_FILENO, &modes) == 0) {
        if (!atomic_load(&has_modes))
            before = modes;
        modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        modes.c_cc[VMIN] = 0; /* do not wait for a key that another process took */
        modes.c_cc[VTIME] = 0;
        atomic_store(&has_modes, true);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    }
    modes_say(hide_cursor);
    atomic_store(&is_entered, true);
}

void cw_terminal_leave(void)
{
    if (!atomic_exchange(&is_entered, false))
        return;
    modes_say(show_cursor);
    if (atomic_exchange(&has_modes, false))
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

bool cw_terminal_begin_drawing(void)
{
    static const int deaths_by_others[] = {SIGQUIT, SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR2, SIGXCPU};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof deaths_by_others / sizeof *deaths_by_others; i++)
        sigaddset(&set, deaths_by_others[i]);
    pthread_sigmask(SIG_BLOCK, &set, &usual_signals);
    atomic_store(&is_drawing, true);
    if (!atomic_load(&is_given_back))
        return true;
    cw_terminal_end_drawing(0);
    return false;
}

void cw_terminal_end_drawing(unsigned lines)
{
    atomic_store(&drawn_lines, lines);
    atomic_store(&is_drawing, false);
    pthread_sigmask(SIG_SETMASK, &usual_signals, NULL);
}

/* Waits for the end of a drawing; until then the number of lines to erase is unknown. */
static void wait_for_drawing(void)
{
    enum { TURNS = 100 };
    const struct timespec turn = {.tv_nsec = 1000 * 1000};
    atomic_store(&is_given_back, true);
    for (int i = 0; i < TURNS && atomic_load(&is_drawing); i++)
        nanosleep(&turn, NULL);
}

void cw_terminal_give_back(void)
{
    wait_for_drawing();
    unsigned lines = atomic_exchange(&drawn_lines, 0);
    if (lines)
        modes_say("\r\033[2K");
    for (unsigned i = 1; i < lines; i++)
        modes_say("\033[A\033[2K");
    cw_terminal_leave();
}

/* ---- signals ---- */

static void modes_tell(void)
{
    uint64_t one = 1;
    ssize_t written = write(changed_event, &one, sizeof one); /* a full counter wakes too */
    (void)written;
}

static void on_change(int number)
{
    int saved = errno;
    if (number == SIGTSTP)
        atomic_store(&wants_stop, true);
    if (number == SIGCONT)
        atomic_store(&was_continued, true);
    modes_tell();
    errno = saved;
}

/* Handles a signal whose default kills: restores the terminal, then dies of the signal. */
static void on_death(int number)
{
    cw_terminal_give_back();
    raise(number);
}

static const int changes[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int deaths[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM, SIGUSR2, SIGXCPU};

/* Installs a handler, unless the signal has one already or was ignored at the program's start. */
static void modes_handle(int number, void (*handler)(int), int flags)
{
    struct sigaction now;
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void cw_terminal_watch(int event)
{
    changed_event = event;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        modes_handle(changes[i], on_change, SA_RESTART);
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        modes_handle(deaths[i], on_death, (int)SA_RESETHAND);
}

static void modes_release(int number, void (*handler)(int))
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == handler)
        signal(number, SIG_DFL);
}

void cw_terminal_unwatch(void)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        modes_release(changes[i], on_change);
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        modes_release(deaths[i], on_death);
}

bool cw_terminal_take_continued(void)
{
    bool came = atomic_exchange(&was_continued, false);
    if (came)
        atomic_store(&is_entered, false);
    return came;
}

bool cw_terminal_take_stop(void)
{
    return atomic_exchange(&wants_stop, false);
}

/* Stops the process by the signal's default action, because the system does not do so if no shell could wake it again.
 * This thread raises the signal, so that the process has been stopped when this returns. SIGCONT has no handler
 * meanwhile: it could run on another thread, after this one has drawn. */
void cw_terminal_stop_process(void)
{
    modes_release(SIGCONT, on_change);
    signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    modes_handle(SIGTSTP, on_change, SA_RESTART);
    modes_handle(SIGCONT, on_change, SA_RESTART);
}
