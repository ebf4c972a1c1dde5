// What a device link must know about object files and archives: their host symbols and the
// device code that they carry.
#ifndef KUDZU_CC_OBJECT_FILE_H
#define KUDZU_CC_OBJECT_FILE_H

#include <stdint.h>

#include "cc/processes/cc.h"

#define DEVICE_CODE_SECTION ".llvm.offloading"
enum {
    DEVICE_LINK_NOTHING = 2
}; // kudzu-device-linker's exit status: no file that is needed has any
#define DEVICE_LINK_SECTION ".kudzu.device_link" // marks the object of a device link
// How the symbol begins that an object with relocatable device code refers to, and that each device
// link of it defines: so linkers take the object of the device link out of an archive, and have an
// error where there is none.
#define DEVICE_LINK_SYMBOL "__kudzu_needs_device_link_of_"

struct object_file {
    const char *name;              // "a.o", "libx.a(b.o)"
    bool in_archive;               // counts only when something needs it
    bool is_device_link;           // made by a device link
    cc_strings defined, undefined; // global symbols
    const uint8_t *device;         // containers (image.h), one after the other; NULL: none
    size_t device_size;
};
typedef VEC(struct object_file) object_files;

// Appends the object, or each member of the archive. Files of other kinds (shared libraries,
// scripts) and damaged ones are passed over: the linker says what is wrong with them. False: the
// file cannot be read.
bool object_files_read(struct arena *arena, const char *path, object_files *out);
// The same for a file in memory, which must stay as long as the results.
bool object_files_parse(struct arena *arena, const char *name, const void *data, size_t size,
                        object_files *out);
// Whether a symbol's name begins with DEVICE_LINK_SYMBOL.
bool is_device_link_symbol(const char *name);

#endif
