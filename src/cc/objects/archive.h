// Archives of object files, thin ones too.
#ifndef KUDZU_CC_ARCHIVE_H
#define KUDZU_CC_ARCHIVE_H

#include "cc/processes/cc.h"

bool archive_is(const void *data, size_t size);
// Calls member for each, with the name "path(name)" and bytes that need not be aligned, until it
// returns false. A thin archive's members lie beside the file `path`. False: a member's file cannot
// be read (reported on stderr), or member returned it. Reading ends where an archive is damaged.
bool archive_each_member(struct arena *arena, const char *path, const void *data, size_t size,
                         bool (*member)(void *user, const char *name, const void *data,
                                        size_t size),
                         void *user);

#endif
