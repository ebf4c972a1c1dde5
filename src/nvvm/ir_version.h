// The newest major versions of NVVM IR and of its debug metadata that a module may say it is made
// for.
#ifndef KUDZU_NVVM_IR_VERSION_H
#define KUDZU_NVVM_IR_VERSION_H

#define NVVM_IR_MAJOR 2
#define NVVM_IR_DEBUG_MAJOR 3

#endif
