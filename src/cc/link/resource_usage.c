#include "cc/link/resource_usage.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"
#include "cc/link/device_text.h"

// The functions of libkudzu-jit.so that are needed: it knows the registers, and how kernels run.
struct jit {
    __typeof__(kj_module_load) *load;
    __typeof__(kj_module_free) *free;
    __typeof__(kj_module_info) *info;
    __typeof__(kj_explain) *explain;
};

static bool open_jit(struct jit *j) {
    void *lib = dlopen("libkudzu-jit.so", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return cc_error("resource usage needs libkudzu-jit.so: %s", dlerror());
    *(void **)&j->load = dlsym(lib, "kj_module_load");
    *(void **)&j->free = dlsym(lib, "kj_module_free");
    *(void **)&j->info = dlsym(lib, "kj_module_info");
    *(void **)&j->explain = dlsym(lib, "kj_explain");
    return (j->load && j->free && j->info && j->explain) ||
           cc_error("libkudzu-jit.so is of another version");
}

bool resource_usage_wanted(const struct cc_options *o) {
    for (uint32_t i = 0; i < o->ptxas_options.len && !o->ptxas; ++i)
        if (!strcmp(o->ptxas_options.data[i], "-v") ||
            !strcmp(o->ptxas_options.data[i], "--verbose"))
            return true;
    return false;
}

// What a GPU's first bank of constant memory has before a kernel's parameters.
static unsigned bytes_before_parameters(unsigned sm) {
    return sm >= 90 ? 0x210 : sm >= 70 ? 0x160 : 0x140;
}

uint64_t resource_usage_constant(const struct kernel_usage *k, unsigned sm) {
    return bytes_before_parameters(sm) + k->parameters;
}

// How the CPU device runs it: the lines about the whole kernel, without their signs.
static void put_cpu(const struct jit *j, struct kj_module *m, uint32_t kernel, const char *name,
                    struct strbuf *out) {
    const struct kj_kernel *k = &j->info(m)->kernels[kernel];
    struct kd_spec spec = {.flags = KD_SPEC_ALIGNED_PARAMS | KD_SPEC_SMALL_GRID};
    memcpy(spec.ntid, k->reqntid, sizeof spec.ntid);
    for (int d = 0; d < 3; ++d)
        if (!spec.ntid[d])
            spec.ntid[d] = d ? 1 : k->maxntid[0] && k->maxntid[0] < 256 ? k->maxntid[0] : 256;
    char log[1024] = "";
    char *report = j->explain(m, kernel, &spec, KJ_EXPLAIN_COSTS, log, sizeof log);
    if (!report)
        return;
    strbuf_printf(out, "kudzu info    : '%s' on CPUs:", name);
    const char *separator = " ";
    for (char *save = NULL, *line = strtok_r(report, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        if (*line == '+' || *line == '-') {
            strbuf_printf(out, "%s%s", separator, line + 2);
            separator = "; ";
        }
    strbuf_puts(out, "\n");
    free(report);
}

static void put_kernel(const struct kernel_usage *k, unsigned sm, unsigned registers,
                       const char *architecture, struct strbuf *out) {
    strbuf_printf(out,
                  "ptxas info    : Compiling entry function '%s' for '%s'\n"
                  "ptxas info    : Function properties for %s\n"
                  "    %llu bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                  "ptxas info    : Used %u registers, used %u barriers",
                  k->name, architecture, k->name, (unsigned long long)k->frame, registers,
                  k->barriers);
    if (k->stack)
        strbuf_printf(out, ", %llu bytes cumulative stack size", (unsigned long long)k->stack);
    if (k->shared)
        strbuf_printf(out, ", %llu bytes smem", (unsigned long long)k->shared);
    strbuf_printf(out, ", %llu bytes cmem[0]", (unsigned long long)resource_usage_constant(k, sm));
    strbuf_puts(out, "\n");
}

static const struct kj_kernel *kernel_named(const struct kj_module_info *info, const char *name,
                                            uint32_t *number) {
    for (*number = 0; *number < info->nkernels; ++*number)
        if (!strcmp(info->kernels[*number].name, name))
            return &info->kernels[*number];
    return NULL;
}

bool resource_usage_print(const char *text, size_t size, const struct ptx_usage *usage,
                          const char *architecture, bool cpu, struct strbuf *out) {
    struct jit j = {0};
    char log[2048] = "";
    if (!open_jit(&j))
        return false;
    struct kj_module *m = j.load(text, size, log, sizeof log); // NULL: another file defines things
    strbuf_printf(out, "ptxas info    : %llu bytes gmem", (unsigned long long)usage->global);
    if (usage->constant)
        strbuf_printf(out, ", %llu bytes cmem[3]", (unsigned long long)usage->constant);
    strbuf_puts(out, "\n");
    for (uint32_t i = 0; i < usage->kernels.len; ++i) {
        const struct kernel_usage *k = &usage->kernels.data[i];
        uint32_t number = 0;
        const struct kj_kernel *known = m ? kernel_named(j.info(m), k->name, &number) : NULL;
        put_kernel(k, usage->sm, known ? known->registers : 0, architecture, out);
        if (known && cpu)
            put_cpu(&j, m, number, k->name, out);
    }
    if (m)
        j.free(m);
    return true;
}

bool resource_usage_registers(const char *text, size_t size, const struct ptx_usage *usage,
                              unsigned *registers) {
    struct jit j = {0};
    char log[2048] = "";
    if (!open_jit(&j))
        return false;
    struct kj_module *m = j.load(text, size, log, sizeof log);
    for (uint32_t i = 0, number; i < usage->kernels.len; ++i) {
        const struct kj_kernel *known =
            m ? kernel_named(j.info(m), usage->kernels.data[i].name, &number) : NULL;
        registers[i] = known ? known->registers : 0;
    }
    if (m)
        j.free(m);
    return true;
}

void resource_usage_show(struct arena *arena, const struct cc_options *o, const char *ptx,
                         size_t size, const struct ptx_usage *usage, const char *architecture) {
    struct strbuf out = {0};
    const char *text = device_text(arena, o, ptx, &size);
    resource_usage_print(text, size, usage, architecture, true, &out);
    fputs(strbuf_str(&out), stderr);
    strbuf_free(&out);
}
