// Where things are: clang, the linker, kudzu's own headers and libraries.
#ifndef KUDZU_CC_TOOLCHAIN_H
#define KUDZU_CC_TOOLCHAIN_H

#include <stdbool.h>

#include "support/arena.h"

struct toolchain {
    const char *clang;     // C++ front end: $KUDZU_CLANG, kudzu's own, or clang++ on PATH
    const char *clang_dir; // the directory it really lies in
    const char *lld;       // path of ld.lld, NULL: clang's default linker
    const char *ar;        // for -lib
    const char *include;   // kudzu's headers
    const char *lib;       // kudzu's libraries
    const char *cuda_13;   // the toolkit of CUDA 13 beside them: bin, include, lib64
    const char *devicelib; // the device library's bitcode, NULL: not built
    const char *plugin;    // clang's plugin for specifiers that it does not know
    // Another CUDA toolkit's headers lie in a default include directory of the system: this
    // directory must be hidden from clang. NULL: none.
    const char *foreign_include;
};

// `inside`: a file in the bin or lib folder of the installation (or of the build). False: reported.
bool toolchain_find(struct toolchain *t, struct arena *arena, const char *inside);

// The path of a program: `name` itself where it has a slash, else a file of a folder of PATH. NULL:
// there is none that may be executed.
const char *find_on_path(struct arena *arena, const char *name);

#endif
