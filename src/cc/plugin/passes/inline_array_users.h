// Inlines functions that get addresses of local arrays.
#ifndef KUDZU_CC_PLUGIN_INLINE_ARRAY_USERS_H
#define KUDZU_CC_PLUGIN_INLINE_ARRAY_USERS_H

namespace llvm {
class Module;
}

// Marks them for the inliner. For the pipeline's start.
void inlineArrayUsers(llvm::Module &m);

#endif
