// The device code in files of every kind: PTX, containers, cubins, clang's offloading files, and
// objects, libraries, programs and archives with any of these in them.
#ifndef KUDZU_ASSEMBLER_DEVICE_FILES_H
#define KUDZU_ASSEMBLER_DEVICE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/vec.h"

enum device_item_kind {
    DEVICE_ITEM_PTX,
    DEVICE_ITEM_CUBIN,          // kudzu's or machine code; what kudzu's hold follows as items
    DEVICE_ITEM_NATIVE,         // kudzu's code for CPUs
    DEVICE_ITEM_BITCODE,        // LLVM's, which waits for a device link
    DEVICE_ITEM_DEVICE_RUNTIME, // the archive that GPUs' PTX is linked with
    DEVICE_ITEM_COMPRESSED,     // an entry that another tool has compressed
    DEVICE_ITEM_UNKNOWN,
};

struct device_item {
    const char *file; // "a.o", "libx.a(b.o)"
    enum device_item_kind kind;
    uint32_t arch; // 90 for sm_90; 0: not known
    bool arch_specific;
    const char *name; // the source's, or NULL
    const void *data; // of PTX: a text that ends with NUL, which size leaves out
    size_t size;
    bool in_cubin;  // of the cubin that is the last one before it
    bool is_kudzus; // of a cubin
    bool in_archive;
};
typedef VEC(struct device_item) device_items;

// Appends what a file in memory holds, which may be nothing. The items point into copies in the
// arena. False: it is damaged, or no file that can hold device code; the reason in err, without
// the file's name.
bool device_files_parse(struct arena *arena, const char *name, const void *data, size_t size,
                        device_items *out, char *err, size_t err_size);
// The same of a file. Devices and folders are refused.
bool device_files_read(struct arena *arena, const char *path, device_items *out, char *err,
                       size_t err_size);

#endif
