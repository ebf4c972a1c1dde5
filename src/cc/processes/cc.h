// `kudzu cc`: the compiler driver. It takes nvcc's options and runs clang 19 as child processes.
//
//     a.cu --device pass per architecture--> PTX --.
//      |                                           +--> container --.
//      +---- host pass (runs beside them, waits for the container) -+--> a.o --link--> a.out
//
// With -rdc=true the device passes give bitcode, which the object carries in a section until the
// device link joins the bitcode of all objects (device_link.h).
#ifndef KUDZU_CC_CC_H
#define KUDZU_CC_CC_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/strbuf.h"
#include "support/vec.h"

typedef VEC(const char *) cc_strings;

// The whole command: argv[0] is the command's name, then options and files. Returns the exit
// status: 0, or 1 after a message on stderr.
int kudzu_cc(int argc, char **argv);

// The command that was called, with which messages begin: "kudzu cc" unless it is named.
void cc_name_command(const char *name);
const char *cc_command_name(void);
// The programs that kudzu cc starts are told by this variable, and take the name.
#define CC_COMMAND_VARIABLE "KUDZU_CALLED"
void cc_take_command_name(void);
// "kudzu cc: error: ..." on stderr; returns false, so that `return cc_error(...)` reads well.
bool cc_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cc_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
// From now on the calling thread's messages go to the end of *log; NULL: to stderr again.
void cc_capture_messages(struct strbuf *log);

#endif
