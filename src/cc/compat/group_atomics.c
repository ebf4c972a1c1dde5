#include "cc/compat/group_atomics.h"

#include <string.h>

#include "cc/messages/clang_messages.h"

bool group_atomics_are_missing(struct arena *arena, const cc_strings *diagnostics) {
    static const char *const texts[] = {"undeclared identifier 'cuda'",
                                        "in namespace 'cuda'",
                                        "'cuda' is not a class",
                                        "unknown type name 'cuda'",
                                        "no member named 'thread_scope' in 'cooperative_groups::",
                                        "expected namespace name"};
    clang_messages messages = {0};
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++)
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            if (messages.data[i].error && strstr(messages.data[i].text, texts[k]))
                return true;
    return false;
}
