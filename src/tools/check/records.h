// Takes the records of a program's processes as they come.
#ifndef KUDZU_TOOLS_CHECK_RECORDS_H
#define KUDZU_TOOLS_CHECK_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/check/check_record.h"

struct check_records {
    int fd;
    char *text; // what is not a whole record yet
    size_t size;
    struct arena *arena;
    void (*take)(void *data, struct check_record *r); // texts live as long as the arena
    void *data;
};

// Opens the file and sets CHECK_RECORDS_VARIABLE to its path. False: after a message.
bool check_records_open(struct check_records *s);
// Takes the records that have come since. Not from two threads at once.
void check_records_take(struct check_records *s);
void check_records_close(struct check_records *s);

#endif
