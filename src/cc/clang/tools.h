// What kudzu-clang is, by the name that it is called by.
#ifndef KUDZU_CC_CLANG_TOOLS_H
#define KUDZU_CC_CLANG_TOOLS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

// clang++'s driver; the arguments begin with the program's name. Response files are expanded.
// Gives the exit status.
int runDriver(llvm::SmallVectorImpl<const char *> &arguments);
// One compilation, `-cc1 ...`: the arguments are those behind the program's name.
int runCompiler(llvm::ArrayRef<const char *> arguments, const char *program);

extern "C" {
#include "cc/link/device_linker.h"
#include "nvvm/compiler.h"
}

#endif
