// Any bytes, behind the first, as a file with device code: what objdump, nvlink and nvJitLink read.
// They must not crash, and what is given out must be readable.
#include <stdlib.h>
#include <string.h>

#include "assembler/device_files.h"
#include "fuzz.h"

static volatile uint64_t sink; // keeps reads

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena = {0};
    device_items items = {0};
    char err[256] = "";
    bool ok =
        size && device_files_parse(&arena, "input", data + 1, size - 1, &items, err, sizeof err);
    if (size && !ok && !err[0])
        abort(); // refused without a reason
    for (uint32_t i = 0; i < items.len; i++) {
        const struct device_item *item = &items.data[i];
        sink += strlen(item->file) + (item->name ? strlen(item->name) : 0);
        for (size_t k = 0; k < item->size; k++)
            sink += ((const uint8_t *)item->data)[k];
        if (item->kind == DEVICE_ITEM_PTX && ((const char *)item->data)[item->size])
            abort();
    }
    arena_free(&arena);
    return 0;
}
