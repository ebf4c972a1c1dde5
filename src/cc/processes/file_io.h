// Whole files.
#ifndef KUDZU_CC_FILE_IO_H
#define KUDZU_CC_FILE_IO_H

#include "cc/processes/cc.h"

// Folders can be opened as files can, but the compiler's search for a header passes them over.
bool is_folder(const char *path);
// Both are there, and one is the other, by a link or another spelling.
bool is_same_folder(const char *a, const char *b);
bool is_readable_file(const char *path);
// The path without "." and ".." in it, whatever links there are.
const char *path_without_dots(struct arena *arena, const char *path);
// A NUL follows the data. Devices are refused, and what is larger than 4 GiB. False: reported on
// stderr.
bool read_file(struct arena *arena, const char *path, char **data, size_t *size);
bool write_file(const char *path, const void *data, size_t size);
// Removes what was written; a device such as /dev/null stays.
void remove_output(const char *path);

#endif
