// Device code that stands alone: its functions are nobody else's.
#ifndef KUDZU_CC_PLUGIN_OWN_FUNCTIONS_H
#define KUDZU_CC_PLUGIN_OWN_FUNCTIONS_H

namespace llvm {
class Module;
}

// Gives all functions but kernels, and those that the module lists as used, internal linkage, or
// one by which they are dropped when nobody calls them.
void ownFunctions(llvm::Module &m);

#endif
