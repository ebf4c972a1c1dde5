#ifndef KUDZU_CC_PLUGIN_DEVICE_LAUNCH_H
#define KUDZU_CC_PLUGIN_DEVICE_LAUNCH_H

namespace llvm {
class Module;
}
// Turns the calls of kernels that clang makes of <<<>>> into calls of the device runtime.
void lowerDeviceLaunches(llvm::Module &m);

#endif
