// Device code of several files to one image: what nvlink and nvJitLink have in common.
#ifndef KUDZU_ASSEMBLER_DEVICE_LINKING_H
#define KUDZU_ASSEMBLER_DEVICE_LINKING_H

#include "assembler/assemble.h"
#include "assembler/device_files.h"

// A part that is linked: the PTX of a file.
struct linked_text {
    const char *name; // the file's
    const char *text;
    size_t size;
    bool in_archive; // taken when something needs it
};

struct device_linking {
    struct arena *arena;
    struct tool_log *log;
    struct assembler_options options; // target NULL: that of the first file
    VEC(struct linked_text) texts;
};

enum device_linking_result {
    DEVICE_LINKING_OK,
    DEVICE_LINKING_BAD_INPUT, // no device code that can be linked
    DEVICE_LINKING_BAD_PTX,
};

// Adds the device code in a file, or in memory, for the target. Files without any are passed over.
// Errors are in the log.
enum device_linking_result device_linking_add_file(struct device_linking *l, const char *path);
enum device_linking_result device_linking_add(struct device_linking *l, const char *name,
                                              const void *data, size_t size);

// The linked PTX, in memory of the arena. False: errors in the log.
bool device_linking_text(struct device_linking *l, const char **text, size_t *size);
// The image of it; *out is malloc'ed.
bool device_linking_image(struct device_linking *l, void **out, size_t *out_size);

#endif
