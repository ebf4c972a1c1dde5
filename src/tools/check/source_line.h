// Which line of a source an address of a program or library belongs to (DWARF 2 to 5).
#ifndef KUDZU_TOOLS_CHECK_SOURCE_LINE_H
#define KUDZU_TOOLS_CHECK_SOURCE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

struct debug_file;

// Reads an ELF file of 64 bits; NULL: it is none, or cannot be read. It lives as long as the arena,
// which the mapping outlives.
struct debug_file *debug_file_open(struct arena *arena, const char *path);
// The source and line of the instruction at an address of the file. False: it has no such
// information, or compressed.
bool debug_file_line(struct debug_file *d, uint64_t address, const char **file, uint32_t *line);
// The function at the address, as the file's symbols name it; NULL: there is none.
const char *debug_file_function(const struct debug_file *d, uint64_t address);

#endif
