// Memory files: what child processes read and print without a file on disk.
#ifndef KUDZU_CC_MEMORY_FILE_H
#define KUDZU_CC_MEMORY_FILE_H

#include "cc/processes/cc.h"

// An empty memory file for what a command prints, -1: reported; and its path within this process
// and those that inherit it.
int memory_file(const char *name);
const char *memory_file_path(struct arena *arena, int descriptor);
bool memory_file_write(int descriptor, const char *text, size_t size); // false: reported
// Appends all that is in it.
bool memory_file_read(int descriptor, struct strbuf *out);

#endif
