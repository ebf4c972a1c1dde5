// Quad precision in device code.
#ifndef KUDZU_CC_PLUGIN_QUAD_PRECISION_H
#define KUDZU_CC_PLUGIN_QUAD_PRECISION_H

#include <llvm/IR/Module.h>

// Makes 128-bit integers of all fp128 values, and of what is done with them calls of the device
// library's functions, which join the module. Reports as errors what there is no function for.
void lowerQuadPrecision(llvm::Module &m);

#endif
