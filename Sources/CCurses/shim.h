#ifndef CCURSES_SHIM_H
#define CCURSES_SHIM_H
// SwiftPM drops pkg-config's -D flags; without this wide characters vanish.
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <locale.h>
#include <term.h>
#include <wchar.h>
#endif
