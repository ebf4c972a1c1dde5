// Constants that hold addresses of shared variables, which PTX has no initialisers for.
#pragma once

#include <llvm/IR/Module.h>

// clang keeps the initial value of a local array or structure as a constant, and LLVM makes tables
// of what the cases of a switch choose. Where such a constant holds the address of a shared
// variable, each function that uses it gets a copy on its stack instead, written where the function
// begins. Returns whether anything was changed.
bool moveSharedAddresses(llvm::Module &m);
