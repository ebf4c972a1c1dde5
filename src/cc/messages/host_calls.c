#include "cc/messages/host_calls.h"

#include <string.h>

#include "cc/messages/clang_messages.h"

static const char begin[] = "reference to __host__ function '",
                  kernel[] = "reference to __global__ function '";

static bool is_host_call(const char *text) {
    return !strncmp(text, begin, strlen(begin)) && strncmp(text + strlen(begin), "cuda", 4) != 0 &&
           strstr(text, "' in __host__ __device__ function");
}

// Of a kernel's address, which device code may take.
static bool is_kernel_address(const char *text) {
    return !strncmp(text, kernel, strlen(kernel)) &&
           strstr(text, "' in __host__ __device__ function");
}

// Of a lambda that clang takes for the device's, too, in a function of the host's.
static bool is_capture(const char *text) {
    return !strncmp(text, "capture host variable '", 23);
}

// Of a static variable in a function of the host's that device code names: the other attempt makes
// no code of it.
static const char variable[] = "the static variable '", by_code[] = "' is initialised by code;";

static bool is_static_variable(const char *text) {
    return !strncmp(text, variable, strlen(variable)) && strstr(text, by_code);
}

bool host_calls_told(struct arena *arena, const cc_strings *diagnostics) {
    clang_messages messages = {0};
    bool any = false;
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        if (m->error && !is_host_call(m->text) && !is_kernel_address(m->text) &&
            !is_capture(m->text) && !is_static_variable(m->text))
            return false;
        any |= m->error && !is_capture(m->text);
    }
    return any;
}

static const char *in_line(const char *line, size_t n, const char *text) {
    for (size_t length = strlen(text); n >= length; line++, n--)
        if (!memcmp(line, text, length))
            return line;
    return NULL;
}

void host_calls_warn(const char *messages, struct strbuf *out) {
    static const char error[] = ": error: ";
    for (size_t n; *messages; messages += n) {
        n = strcspn(messages, "\n");
        n += messages[n] == '\n';
        const char *at = in_line(messages, n, error), *rest = messages;
        if (in_line(messages, n, variable) && in_line(messages, n, by_code))
            continue;
        const char *what = at ? at + strlen(error) : "";
        if (is_host_call(what) || is_kernel_address(what) || is_capture(what)) {
            strbuf_append(out, messages, (size_t)(at - messages));
            strbuf_puts(out, ": warning: ");
            rest = what;
        }
        strbuf_append(out, rest, (size_t)(messages + n - rest));
    }
}

bool is_host_call_warning(const char *line) {
    const char *text = strstr(line, ": warning: ");
    text += text ? strlen(": warning: ") : 0;
    return text && (is_host_call(text) || is_capture(text));
}

bool is_kernel_address_warning(const char *line) {
    const char *text = strstr(line, ": warning: ");
    return text && is_kernel_address(text + strlen(": warning: "));
}
