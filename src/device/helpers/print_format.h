// Device printf's formatter (guide 10.35). Pure: memory in, text out.
#ifndef KUDZU_DEVICE_PRINT_FORMAT_H
#define KUDZU_DEVICE_PRINT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

// Formats into out (always NUL-terminated when size > 0; cut there). *length is the whole text's
// length. `args` is laid out as C varargs in memory: each argument at its natural alignment,
// float promoted to double, integers of at least 4 bytes. Returns the number of arguments, 32 at
// most; specifiers beyond them are copied as they are.
int32_t print_format(char *out, size_t size, const char *fmt, const void *args, size_t *length);
// Calls `string` for each string that print_format would read, which is not read here.
void print_strings(const char *fmt, const void *args, void (*string)(void *data, const char *text),
                   void *data);

#endif
