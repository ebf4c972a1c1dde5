#include "cc/messages/host_calls.h"

#include <string.h>

#include "cc/messages/clang_messages.h"

static const char begin[] = "reference to __host__ function '";

static bool is_host_call(const char *text) {
    return !strncmp(text, begin, strlen(begin)) && strncmp(text + strlen(begin), "cuda", 4) != 0 &&
           strstr(text, "' in __host__ __device__ function");
}

bool host_calls_told(struct arena *arena, const cc_strings *diagnostics) {
    clang_messages messages = {0};
    bool any = false;
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        if (m->error && !is_host_call(m->text))
            return false;
        any |= m->error;
    }
    return any;
}

void host_calls_warn(const char *messages, struct strbuf *out) {
    static const char error[] = ": error: ";
    for (const char *at; (at = strstr(messages, error)); messages = at + strlen(error)) {
        strbuf_append(out, messages, (size_t)(at - messages));
        strbuf_puts(out, is_host_call(at + strlen(error)) ? ": warning: " : error);
    }
    strbuf_puts(out, messages);
}

bool is_host_call_warning(const char *line) {
    const char *text = strstr(line, ": warning: ");
    return text && is_host_call(text + strlen(": warning: "));
}
