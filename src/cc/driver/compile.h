// From one source file to an object file, an image, PTX, ... .
#ifndef KUDZU_CC_COMPILE_H
#define KUDZU_CC_COMPILE_H

#include "cc/headers/clang_flags.h"

// Compiles any source to an object file.
bool compile_object(const struct compilation *c, const struct cc_input *in, const char *object);
// -ptx, -cubin, -fatbin.
bool compile_device_output(const struct compilation *c, const char *source, const char *output);
// -cubin, -fatbin of PTX text.
bool assemble_ptx(const struct compilation *c, const char *source, const char *output);
// -E (output NULL: standard output) and -M, -MM.
bool compile_preprocess(const struct compilation *c, const struct cc_input *in, const char *output);

// "dir/a.cu" -> "a".
const char *file_stem(struct arena *arena, const char *path);

#endif
