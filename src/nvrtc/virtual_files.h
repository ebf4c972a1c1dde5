// Files that clang reads although they are nowhere on disk: each is a memory file, and clang's
// overlay of the file system says where they seem to be.
#ifndef KUDZU_NVRTC_VIRTUAL_FILES_H
#define KUDZU_NVRTC_VIRTUAL_FILES_H

#include "cc/processes/cc.h"
#include "cc/processes/memory_file.h"

// The folder in which they seem to be. Deep, so that "../a.h" stays within it.
#define VIRTUAL_FOLDER "/kudzu-nvrtc/1/2/3/4/5/6"

// Where folders on disk seem to be that come before others of the same name.
#define LIBRARY_FOLDER "/kudzu-nvrtc/library"

struct virtual_files {
    VEC(int) descriptors; // of all files and of the overlay, which is last
    struct strbuf roots;
};

// False: no more descriptors or memory; reported. `name` is relative to the folder, or absolute.
bool virtual_files_add(struct virtual_files *v, struct arena *arena, const char *name,
                       const char *text, size_t size);
// The path at which it seems to be, without "." and ".." in it, as clang asks for it.
const char *virtual_files_path(struct arena *arena, const char *name);
// A file that is at its own path alone, which is returned; NULL: reported.
const char *virtual_files_main(struct virtual_files *v, struct arena *arena, const char *text,
                               size_t size);
// The folder on disk seems to be LIBRARY_FOLDER/`name`, too; its files keep their own paths.
void virtual_files_add_library(struct virtual_files *v, const char *name, const char *folder);
// All have been added: the overlay's path, for -ivfsoverlay; NULL: reported.
const char *virtual_files_overlay(struct virtual_files *v, struct arena *arena);
void virtual_files_close(struct virtual_files *v);

#endif
