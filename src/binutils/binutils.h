// Commands on images, in place of CUDA's, one function each: argv[0] is the command's name; the
// result is the process's exit status.
#ifndef KUDZU_BINUTILS_BINUTILS_H
#define KUDZU_BINUTILS_BINUTILS_H

int tool_ptxas(int argc, char **argv);
int tool_nvlink(int argc, char **argv);
int tool_fatbinary(int argc, char **argv);
int tool_bin2c(int argc, char **argv);
int tool_objdump(int argc, char **argv);
int tool_nvdisasm(int argc, char **argv);
int tool_nvprune(int argc, char **argv);
int tool_cufilt(int argc, char **argv);

#endif
