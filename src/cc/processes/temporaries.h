// Temporary files: one directory a run, removed at the end, also when a signal ends the run.
#ifndef KUDZU_CC_TEMPORARIES_H
#define KUDZU_CC_TEMPORARIES_H

#include <stdbool.h>

#include "support/arena.h"

// With `keep_dir` intermediate files go there, under their plain names, and stay (-keep).
bool temporaries_open(const char *keep_dir);
// The path of an intermediate file "<stem>.<suffix>"; without -keep, distinct for each call.
const char *temporary_path(struct arena *arena, const char *stem, const char *suffix);
// The same, but removed at the end even with -keep.
const char *scratch_path(struct arena *arena, const char *suffix);
// In a process of its own for one file: names must differ from those of other files' processes.
void temporaries_begin_file(unsigned number);
void temporaries_close(void);
// A folder of files that is removed, too, when a signal ends the process.
void temporaries_add(const char *folder);
// After a failure: says on stderr if there is hardly any space left, there or in the folder of the
// output. What the compiler had to say may have found none.
void temporaries_explain(const char *output_folder);
// Removes a folder of files, now.
void temporaries_remove(const char *folder);
// In a process that goes on by itself: they are not its own.
void temporaries_forget(void);

#endif
