// The stack that code for SVE needs: LLVM does not tell what registers spill to. A kernel that
// holds many values of 16 lanes, which are registers of 512 bits.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"

enum { VALUES = 512, REGISTERS = 32, REGISTER_BYTES = 64 };

int main(void) {
    static char text[1 << 17], log[4096];
    size_t n = (size_t)snprintf(text, sizeof text,
                                ".version 8.0\n.target sm_90\n.address_size 64\n"
                                ".visible .entry k(.param .u64 x) {\n"
                                ".reg .b32 %%t;\n.reg .b64 %%p, %%o;\n.reg .f32 %%v<%d>;\n"
                                "ld.param.u64 %%p, [x];\nmov.u32 %%t, %%tid.x;\n"
                                "mul.wide.u32 %%o, %%t, 4;\nadd.u64 %%p, %%p, %%o;\n",
                                VALUES);
    // All are loaded before the first is stored, to where the others may have come from.
    for (int k = 0; k < VALUES; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "ld.global.f32 %%v%d, [%%p+%d];\n", k,
                              k * 128);
    for (int k = 0; k < VALUES; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "st.global.f32 [%%p+%d], %%v%d;\n",
                              k * 128, VALUES - 1 - k);
    snprintf(text + n, sizeof text - n, "ret;\n}\n");
    struct kj_module *m = kj_module_load(text, strlen(text), log, sizeof log);
    struct kd_spec s = {.ntid = {32, 1, 1}, .width = 16, .level = KD_LEVEL_AARCH64_SVE512};
    struct kd_code_info info;
    void *object;
    size_t size;
    if (!m || !kj_compile(m, 0, &s, &object, &size, &info, log, sizeof log)) {
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    free(object);
    kj_module_free(m);
    unsigned least = (VALUES - REGISTERS) * REGISTER_BYTES;
    if (info.stack_bytes < least) {
        fprintf(stderr, "the code is said to need %u bytes of stack; it needs %u and more\n",
                info.stack_bytes, least);
        return 1;
    }
    return 0;
}
