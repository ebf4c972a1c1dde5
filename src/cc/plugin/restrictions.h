// What the guide forbids and clang 19 lets pass, found in the device's module.
#ifndef KUDZU_CC_PLUGIN_RESTRICTIONS_H
#define KUDZU_CC_PLUGIN_RESTRICTIONS_H

namespace llvm {
class Module;
}

// Reports each violation as an error. To be called while annotations and sections are still there.
void checkRestrictions(llvm::Module &m);

#endif
