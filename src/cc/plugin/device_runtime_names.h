// The names by which device code calls the device runtime (guide 13.3).
#pragma once

#include <llvm/IR/Module.h>

// Gives calls of the device runtime the names that the present interface has in NVIDIA's library,
// __cudaCDP2..., unless the module uses the older interface (guide 13.5), which it shows by calling
// cudaDeviceSynchronize. The CPU device knows both.
void nameDeviceRuntime(llvm::Module &m);
