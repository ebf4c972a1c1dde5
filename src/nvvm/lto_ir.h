// What -gen-lto makes: code to be joined and optimised at link time. The magic number is the one by
// which tools know such code; what follows is kudzu's own, LLVM's bitcode, or its text.
#ifndef KUDZU_NVVM_LTO_IR_H
#define KUDZU_NVVM_LTO_IR_H

#include <stdint.h>

#define LTO_IR_MAGIC 0x7f4e43edu
#define LTO_IR_KIND "kudzu 1"

struct lto_ir_header {
    uint32_t magic;
    uint32_t size; // of the module behind this header
    char kind[8];  // LTO_IR_KIND
};

#endif
