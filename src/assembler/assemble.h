// PTX to an image: what ptxas, nvPTXCompiler and, after the link, nvlink and nvJitLink have in
// common. The image is a cubin (image/cubin.h).
#ifndef KUDZU_ASSEMBLER_ASSEMBLE_H
#define KUDZU_ASSEMBLER_ASSEMBLE_H

#include <stddef.h>

#include "assembler/targets.h"
#include "assembler/tool_log.h"
#include "support/arena.h"

// The newest PTX of the CUDA version whose tools these stand for.
#define ASSEMBLER_PTX_VERSION "8.8"

struct assembler_options {
    const char *target;     // "sm_90"; NULL: sm_52
    bool relocatable;       // other files may define what is missing
    bool verbose;           // the memory that kernels take is told
    uint32_t max_registers; // 0: no limit
    // Code for CPUs is added: bits 1 << enum kd_level, and what makes it (cc/link/native_code.h).
    uint32_t native_levels;
    bool (*build_native)(const char *ptx, size_t size, uint32_t levels, void **out,
                         size_t *out_size);
};

struct ptx_text {
    const char *name; // in messages
    const char *text; // a NUL may follow
    size_t size;
};

// The image of a text. *out is malloc'ed. False: errors in the log.
bool assemble(struct arena *arena, const struct assembler_options *o, struct tool_log *log,
              const struct ptx_text *text, void **out, size_t *out_size);

// Whether a text is right, and for the target. False: errors in the log.
bool assemble_check(struct arena *arena, const struct assembler_options *o, struct tool_log *log,
                    const struct ptx_text *text);

#endif
