// Any bytes as PTX for the whole compiler: what loads is compiled, with a width, a level and a
// block shape that the text decides. Nothing may crash, and no refusal may come from LLVM's
// verifier: generated LLVM IR that is not valid is a mistake of ours.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "abi/jit.h"
#include "fuzz.h"

enum { MAX_KERNELS = 3 };

static void compile(struct kj_module *m, uint32_t kernel, uint64_t pick) {
    static const uint32_t widths[] = {0, 1, 8, 16, 32}, shapes[] = {0, 1, 7, 32, 96};
    static const uint32_t levels[] = {KD_LEVEL_X86_64_V2, KD_LEVEL_X86_64_V3, KD_LEVEL_X86_64_V4,
                                      KD_LEVEL_AARCH64};
    struct kd_spec spec = {.width = widths[pick % 5], .level = levels[pick / 5 % 4]};
    uint32_t x = shapes[pick / 20 % 5];
    if (x)
        spec.ntid[0] = x, spec.ntid[1] = 1 + pick / 100 % 2, spec.ntid[2] = 1;
    struct kd_code_info info;
    void *obj = NULL;
    size_t size;
    char log[4096] = "";
    if (kj_compile(m, kernel, &spec, &obj, &size, &info, log, sizeof log)) {
        free(obj);
    } else if (!log[0] || strstr(log, "internal:")) {
        fprintf(stderr, "width %u, level %u, block %u: %s\n", spec.width, spec.level, spec.ntid[0],
                log);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char log[4096] = "";
    struct kj_module *m = kj_module_load((const char *)data, size, log, sizeof log);
    if (!m && !log[0])
        abort(); // refused without a reason
    uint64_t pick = XXH3_64bits(data, size);
    for (uint32_t k = 0; m && k < kj_module_info(m)->nkernels && k < MAX_KERNELS; k++)
        compile(m, (uint32_t)((pick >> 32) + k) % kj_module_info(m)->nkernels, pick / 200 + k);
    kj_module_free(m);
    return 0;
}
