// What the guide forbids and clang 19 lets pass, found in the module.
#ifndef KUDZU_CC_PLUGIN_RESTRICTIONS_H
#define KUDZU_CC_PLUGIN_RESTRICTIONS_H

namespace llvm {
class Module;
class Twine;
} // namespace llvm

// Reports each violation. To be called while annotations and sections are still there, and before
// anything has been optimised.
void checkRestrictions(llvm::Module &m);     // device code
void checkHostRestrictions(llvm::Module &m); // host code

// dynamic_cast and typeid in functions that others could call, before what nobody calls is dropped.
void checkTypeQueries(llvm::Module &m);

// In device code that is a program of its own, once it has been optimised: what is nowhere defined.
void checkReferences(llvm::Module &m);

// Where full debug information is kept: comments in the PTX with the place of each variable.
void markPlaces(llvm::Module &m);
bool hasInlineAsm(const llvm::Module &m);

// A warning of the compiler.
void warn(llvm::Module &m, const llvm::Twine &message);

#endif
