// What the commands have in common.
#ifndef KUDZU_BINUTILS_TOOL_VERSION_H
#define KUDZU_BINUTILS_TOOL_VERSION_H

#include "assembler/tool_log.h"

// What --version prints. Programs look for "release 12.9" and "V12.9.0", or those of 13.0, as nvcc
// has them. `what`: the words by which they know the tool.
void tool_version_print(const char *tool, const char *what);

// Writes what the log has on stderr, and frees it. Returns the exit status: 0, or 255 after errors.
int tool_log_end(struct tool_log *log);

#endif
