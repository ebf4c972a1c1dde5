#include <stdio.h>

#include "binutils/objdump.h"
#include "cc/link/resource_usage.h"

void objdump_ptx_usage(struct objdump *o, const struct device_item *i) {
    ptx_problems problems = {0};
    struct ptx_usage usage = {0};
    if (!ptx_check(o->arena, i->data, i->size, false, &problems, &usage)) {
        tool_say(o->log, TOOL_ERROR, i->file, problems.len ? problems.data[0].line : 0, "%s",
                 problems.len ? problems.data[0].text : "it is no PTX that is known");
        return;
    }
    unsigned *registers = arena_array(o->arena, unsigned, usage.kernels.len + 1);
    struct strbuf messages = {0};
    cc_capture_messages(&messages);
    bool known = resource_usage_registers(i->data, i->size, &usage, registers);
    cc_capture_messages(NULL);
    if (!known)
        tool_say_lines(o->log, TOOL_ERROR, strbuf_str(&messages));
    strbuf_free(&messages);
    if (!known)
        return;
    printf("Resource usage:\n Common:\n  GLOBAL:%llu CONSTANT[3]:%llu\n",
           (unsigned long long)usage.global, (unsigned long long)usage.constant);
    for (uint32_t n = 0; n < usage.kernels.len; n++) {
        const struct kernel_usage *k = &usage.kernels.data[n];
        if (objdump_wants_function(o, k->name))
            printf(" Function %s:\n  REG:%u STACK:%llu SHARED:%llu LOCAL:%llu CONSTANT[0]:%llu "
                   "TEXTURE:0 SURFACE:0 SAMPLER:0\n",
                   k->name, registers[n], (unsigned long long)k->stack,
                   (unsigned long long)k->shared, (unsigned long long)k->frame,
                   (unsigned long long)resource_usage_constant(k, usage.sm));
    }
}
