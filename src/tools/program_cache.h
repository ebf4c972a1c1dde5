// Programs that `kudzu run` has compiled, kept under $XDG_CACHE_HOME/kudzu/run; where that folder
// cannot be trusted (private_folder.h), for this process alone in a temporary one. An entry is a
// program and the list of all files that it was made from, headers included, as they were then.
#ifndef KUDZU_TOOLS_PROGRAM_CACHE_H
#define KUDZU_TOOLS_PROGRAM_CACHE_H

#include <stdbool.h>

#include "cc/processes/cc.h"

struct program_cache_entry {
    const char *program; // path of the executable
    const char *list;    // path of the list of files
    const char *folder;  // where both lie
};

// The entry for a source compiled with these options by this kudzu. Makes the directory.
bool program_cache_find(struct arena *arena, const char *source, const cc_strings *options,
                        struct program_cache_entry *out);
// Whether the program is there and every file is as it was.
bool program_cache_valid(struct arena *arena, const struct program_cache_entry *e);
// Moves a new program in; `dep_files` are make rules that name all that it was compiled from.
// `link_file` is the linker's, and names intermediate files as well, which are gone; without such a
// file the libraries are not looked at (linkers but lld).
bool program_cache_store(struct arena *arena, const struct program_cache_entry *e,
                         const char *program, const cc_strings *dep_files, const char *link_file);
// Removes the temporary folder. False: there is none. Done at exit, too.
bool program_cache_discard(void);

#endif
