#include "cc/compat/device_operators.h"

#include <string.h>

#include "cc/messages/clang_messages.h"

bool device_operators_told(struct arena *arena, const cc_strings *diagnostics) {
    static const char begin[] = "use of overloaded operator '";
    clang_messages messages = {0};
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++)
        if (messages.data[i].error && !strncmp(messages.data[i].text, begin, strlen(begin)) &&
            strstr(messages.data[i].text, "' is ambiguous"))
            return true;
    return false;
}
