// The parts of kudzu objdump.
#ifndef KUDZU_BINUTILS_OBJDUMP_H
#define KUDZU_BINUTILS_OBJDUMP_H

#include "assembler/device_files.h"
#include "assembler/tool_log.h"
#include "assembler/tool_options.h"

struct objdump {
    struct arena *arena;
    struct tool_log *log;
    // What is asked for.
    bool list_elf, list_ptx, elf, ptx, symbols, sass, usage;
    bool help, version;
    const char *extract_elf, *extract_ptx; // part of a name, or "all"; NULL: nothing
    const char *arch;                      // "sm_90"; NULL: all
    tool_words functions;                  // none: all
    tool_words files;
    uint32_t native_level; // for which code is made where an image has none
    // Of the file at hand.
    const char *path;
    device_items items;
};

bool objdump_wants_function(const struct objdump *o, const char *name);
// "sm_90a"
const char *objdump_arch(struct arena *arena, const struct device_item *i);

// Sections and symbols of a cubin.
void objdump_elf(struct objdump *o, const struct device_item *i);
// "STT_FUNC  STB_GLOBAL STO_ENTRY  name" a line, of a cubin.
void objdump_symbols(struct objdump *o, const struct device_item *i);
// What kernels take: of PTX, as far as it says; of machine code, what its sections tell.
void objdump_ptx_usage(struct objdump *o, const struct device_item *i);
void objdump_elf_usage(struct objdump *o, const struct device_item *i);
// Code of CPUs: that of an image, or what is made of PTX now. False: reported.
bool objdump_native(struct objdump *o, const struct device_item *i);
bool objdump_made_native(struct objdump *o, const struct device_item *ptx);

#endif
