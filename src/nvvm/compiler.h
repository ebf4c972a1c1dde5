// kudzu-nvvm-compiler: NVVM IR to PTX, in a process of its own.
#ifndef KUDZU_NVVM_COMPILER_H
#define KUDZU_NVVM_COMPILER_H

// `<mode> <architecture> <flags> {<kind> <name> <file>}...`, as run.c gives them. The process ends
// with an nvvmResult.
int nvvm_compiler(int argc, char **argv);

#endif
