#ifndef CCURSES_SHIM_H
#define CCURSES_SHIM_H
// SwiftPM drops pkg-config's -D flags; without these wide characters vanish.
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// Hidden by wchar.h unless _XOPEN_SOURCE was defined before the first header of all.
extern int wcwidth(wchar_t);

// Mutable globals and macros that Swift does not import.
static inline WINDOW *deck_screen(void) { return stdscr; }
static inline SCREEN *deck_new_screen(void) { return newterm(NULL, stdout, stdin); }
static inline int deck_colors(void) { return has_colors() ? COLORS : 0; }
static inline int deck_pairs(void) { return COLOR_PAIRS; }
static inline attr_t deck_attributes(bool bold, bool dim, bool reversed) {
    return (bold ? WA_BOLD : 0) | (dim ? WA_DIM : 0) | (reversed ? WA_REVERSE : 0);
}
static inline int deck_set_attributes(attr_t attributes, short pair) { return wattr_set(stdscr, attributes, pair, NULL); }
static inline int deck_width(wchar_t scalar) { return wcwidth(scalar); }
/// Whether the locale in force writes UTF-8.
static inline bool deck_is_utf8(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }
/// Takes clicks and the wheel of the mouse. Drags stay with the terminal, which selects text with them.
static inline void deck_use_mouse(void) {
    mouseinterval(0);
    mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}
/// The latest event of the mouse: 1 for a click, 4 and 5 for the wheel, 0 for anything else, negative when there is none.
///
/// What came at once is kept as several events and told as one key, so ask until there is none.
static inline int deck_mouse(int *column, int *row) {
    MEVENT event;
    if (getmouse(&event) != OK) return -1;
    *column = event.x;
    *row = event.y;
    if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) return 1;
    if (event.bstate & BUTTON4_PRESSED) return 4;
    return event.bstate & BUTTON5_PRESSED ? 5 : 0;
}
/// Lets the key that suspends come as a key, and returns its character; negative when there is none. While ncurses draws it ignores the
/// signal, which is lost then.
static inline int deck_take_suspend_key(void) {
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) != 0 || modes.c_cc[VSUSP] == _POSIX_VDISABLE) return -1;
    int key = modes.c_cc[VSUSP];
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &modes) != 0) return -1;
    // What ncurses goes back to after a stop.
    def_prog_mode();
    return key;
}
static inline int deck_function_key(int number) { return KEY_F(number); }
/// Bytes that wait on `descriptor`; negative when it cannot say.
static inline int deck_waiting(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}
/// Rows and columns as the kernel has them; `false` when it does not know.
static inline bool deck_window_size(int descriptor, int *columns, int *rows) {
    struct winsize size = {0};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || (size.ws_col == 0 && size.ws_row == 0)) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

// A crash must leave a sane terminal. What a trap interrupts cannot be trusted, so the handler makes system calls only.
// All that touches the guard is called from one Swift file; another would get a guard of its own.
struct deck_guard {
    struct termios before;
    struct sigaction previous[NSIG];
    volatile sig_atomic_t active;
    bool exits;
};
static inline struct deck_guard *deck_guard(void) {
    static struct deck_guard guard;
    return &guard;
}
static inline void deck_guard_restore(void) {
    struct deck_guard *guard = deck_guard();
    if (!guard->active) return;
    guard->active = 0;
    // The mouse and marked pastes off, plain letters, the cursor, keypad and alternate screen off.
    static const char reset[] = "\033[?1000l\033[?1006l\033[?2004l\033[0m\033[?25h\033[?1l\033>\033[?1049l\r";
    ssize_t ignored = write(STDOUT_FILENO, reset, sizeof reset - 1);
    (void)ignored;
    tcsetattr(STDIN_FILENO, TCSANOW, &guard->before);
}
static inline void deck_guard_handler(int number) {
    deck_guard_restore();
    // Whoever listened before hears of it as well: the signal comes again as soon as this returns.
    sigaction(number, &deck_guard()->previous[number], NULL);
    raise(number);
}
static inline int deck_guard_signal(int index) {
    static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT};
    return index < (int)(sizeof signals / sizeof signals[0]) ? signals[index] : 0;
}
static inline bool deck_guard_begin(void) {
    struct deck_guard *guard = deck_guard();
    if (guard->active || tcgetattr(STDIN_FILENO, &guard->before) != 0) return false;
    guard->active = 1;
    if (!guard->exits) guard->exits = atexit(deck_guard_restore) == 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = deck_guard_handler;
    action.sa_flags = SA_ONSTACK;
    for (int index = 0, number; (number = deck_guard_signal(index)); index++) sigaction(number, &action, &guard->previous[number]);
    return true;
}
static inline void deck_guard_end(void) {
    struct deck_guard *guard = deck_guard();
    if (!guard->active) return;
    guard->active = 0;
    for (int index = 0, number; (number = deck_guard_signal(index)); index++) sigaction(number, &guard->previous[number], NULL);
}
#endif
