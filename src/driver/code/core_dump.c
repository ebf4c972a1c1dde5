// Attributes of core dumps are kept and answered. Where a dump on an exception is asked for, the
// fault of a kernel writes a report, which is text, to the file: there is no device whose state a
// debugger could load. Then the process aborts, which makes the host's part of the dump where the
// system allows it and CU_COREDUMP_TRIGGER_HOST is set; with CU_COREDUMP_SKIP_ABORT it goes on.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "driver/driver.h"
#include "support/environment.h"

static struct drv_core_dump global; // under the lock
static unsigned fixed;              // by the environment: one bit an attribute

// ---- Values -------------------------------------------------------------------------------

// Where an attribute is, and its size; a text's is its room.
static CUresult place(struct drv_core_dump *d, CUcoredumpSettings attrib, void **at, size_t *size) {
    *size = sizeof(bool);
    switch (attrib) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
        *at = &d->on_exception;
        return CUDA_SUCCESS;
    case CU_COREDUMP_TRIGGER_HOST:
        *at = &d->trigger_host;
        return CUDA_SUCCESS;
    case CU_COREDUMP_LIGHTWEIGHT:
        *at = &d->lightweight;
        return CUDA_SUCCESS;
    case CU_COREDUMP_ENABLE_USER_TRIGGER:
        *at = &d->user_trigger;
        return CUDA_SUCCESS;
    case CU_COREDUMP_FILE:
        *at = d->file;
        *size = sizeof d->file;
        return CUDA_SUCCESS;
    case CU_COREDUMP_PIPE:
        *at = d->pipe;
        *size = sizeof d->pipe;
        return CUDA_SUCCESS;
    case CU_COREDUMP_GENERATION_FLAGS:
        *at = &d->flags;
        *size = sizeof d->flags;
        return CUDA_SUCCESS;
    default:
        FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of core dumps", (int)attrib);
    }
}

static bool is_text(CUcoredumpSettings attrib) {
    return attrib == CU_COREDUMP_FILE || attrib == CU_COREDUMP_PIPE;
}

// value NULL: the size alone.
static CUresult get(struct drv_core_dump *d, CUcoredumpSettings attrib, void *value, size_t *size) {
    void *at;
    size_t need;
    REQUIRE_POINTER(size);
    TRY(place(d, attrib, &at, &need));
    drv_lock();
    if (is_text(attrib))
        need = strlen(at) + 1;
    size_t room = *size;
    if (value && room >= need)
        memcpy(value, at, need);
    drv_unlock();
    *size = need;
    REQUIRE(!value || room >= need, CUDA_ERROR_INVALID_VALUE,
            "the value takes %zu bytes, %zu were given", need, room);
    return CUDA_SUCCESS;
}

static CUresult set(struct drv_core_dump *d, CUcoredumpSettings attrib, const void *value,
                    const size_t *size) {
    void *at;
    size_t room;
    REQUIRE_POINTER(value);
    REQUIRE_POINTER(size);
    TRY(place(d, attrib, &at, &room));
    REQUIRE(!(fixed >> attrib & 1), CUDA_ERROR_NOT_PERMITTED,
            "the environment has set attribute %d", (int)attrib);
    size_t n = is_text(attrib) ? strnlen(value, *size) : room;
    REQUIRE(is_text(attrib) ? n < room : *size >= room, CUDA_ERROR_INVALID_VALUE,
            "a value of %zu bytes for attribute %d", *size, (int)attrib);
    drv_lock();
    memcpy(at, value, n);
    if (is_text(attrib))
        ((char *)at)[n] = 0;
    drv_unlock();
    return CUDA_SUCCESS;
}

// ---- Entry points -------------------------------------------------------------------------

CUresult cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER();
    struct drv_context *ctx;
    TRY(drv_context_current(&ctx));
    return get(&ctx->core_dump, attrib, value, size);
}

CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER();
    return get(&global, attrib, value, size);
}

// Triggers by the user concern all of the process. CUDA_ERROR_NOT_PERMITTED: these, and what the
// environment has set.
CUresult cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER();
    struct drv_context *ctx;
    TRY(drv_context_current(&ctx));
    REQUIRE(attrib != CU_COREDUMP_ENABLE_USER_TRIGGER && attrib != CU_COREDUMP_PIPE,
            CUDA_ERROR_NOT_PERMITTED, "attribute %d can be set for the whole process alone",
            (int)attrib);
    return set(&ctx->core_dump, attrib, value, size);
}

CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size) {
    ENTER();
    return set(&global, attrib, value, size);
}

// ---- The report ---------------------------------------------------------------------------

// The file's name with %h, %p and %t replaced by host, process and time.
static void expand(const char *name, char *out, size_t size) {
    char host[256] = "localhost";
    size_t n = 0;
    gethostname(host, sizeof host - 1);
    for (const char *s = name; *s && n + 1 < size; s++) {
        int m = 1;
        if (s[0] == '%' && s[1] == 'h')
            m = snprintf(out + n, size - n, "%s", host), s++;
        else if (s[0] == '%' && s[1] == 'p')
            m = snprintf(out + n, size - n, "%d", (int)getpid()), s++;
        else if (s[0] == '%' && s[1] == 't')
            m = snprintf(out + n, size - n, "%lld", (long long)time(NULL)), s++;
        else
            out[n] = *s;
        n += m > 0 ? (size_t)m : 0;
    }
    out[n < size ? n : size - 1] = 0;
}

static void write_report(FILE *f, const struct kd_fault_record *r, const struct drv_context *ctx) {
    fprintf(f, "kudzu: report of a kernel's fault (no state of the device follows)\n");
    fprintf(f, "process %d, device %d, context %llu\n", (int)getpid(), ctx->device->ordinal,
            (unsigned long long)ctx->id);
    fprintf(f, "%s\n", r->text);
    fprintf(f, "kernel %s\nblock %u %u %u\n", r->kernel, r->block[0], r->block[1], r->block[2]);
    if (r->thread_known)
        fprintf(f, "thread %u %u %u\n", r->thread[0], r->thread[1], r->thread[2]);
    if (r->address_known)
        fprintf(f, "address 0x%llx\n", (unsigned long long)r->address);
}

// On the thread that met the fault, which is no longer in the kernel.
static void fault_met(struct kd_context *c, const struct kd_fault_record *r) {
    DEVICE_CALL();
    char name[2 * DRV_CORE_DUMP_TEXT], path[DRV_CORE_DUMP_TEXT];
    struct drv_context *ctx = drv_context_of(c);
    if (!ctx)
        return;
    drv_lock();
    bool wanted = ctx->core_dump.on_exception, host = ctx->core_dump.trigger_host;
    unsigned flags = ctx->core_dump.flags;
    memcpy(path, ctx->core_dump.file, sizeof path);
    drv_unlock();
    if (!wanted)
        return;
    expand(path, name, sizeof name);
    FILE *f = fopen(name, "we");
    if (f) {
        write_report(f, r, ctx);
        fclose(f);
    }
    if (flags & CU_COREDUMP_SKIP_ABORT)
        return;
    if (!host)
        prctl(PR_SET_DUMPABLE, 0);
    abort();
}

// ---- Beginning ----------------------------------------------------------------------------

static void take(const char *variable, CUcoredumpSettings attrib, bool *flag, char *text) {
    const char *value = environment_get(variable);
    if (!value)
        return;
    if (flag)
        *flag = !strcmp(value, "1");
    else
        snprintf(text, DRV_CORE_DUMP_TEXT, "%s", value);
    fixed |= 1u << attrib;
}

// "skip_abort,skip_global_memory": unknown words count for nothing.
static void take_flags(unsigned *flags) {
    static const char *const words[] = {"skip_nonrelocated_elf_images",
                                        "skip_global_memory",
                                        "skip_shared_memory",
                                        "skip_local_memory",
                                        "skip_abort",
                                        "skip_constbank_memory"};
    const char *value = environment_get("CUDA_COREDUMP_GENERATION_FLAGS");
    if (!value)
        return;
    for (*flags = 0;; value++) {
        size_t n = strcspn(value, ",");
        for (unsigned k = 0; k < sizeof words / sizeof words[0]; k++)
            if (strlen(words[k]) == n && !strncmp(words[k], value, n))
                *flags |= 1u << k;
        value += n;
        if (!*value)
            break;
    }
    fixed |= 1u << CU_COREDUMP_GENERATION_FLAGS;
}

void drv_core_dump_open(void) {
    struct drv_core_dump *d = &global;
    d->trigger_host = true;
    snprintf(d->file, sizeof d->file, "core.cuda.%%h.%%p");
    snprintf(d->pipe, sizeof d->pipe, "corepipe.cuda.%%h.%%p");
    take("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", CU_COREDUMP_ENABLE_ON_EXCEPTION, &d->on_exception,
         NULL);
    take("CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION", CU_COREDUMP_TRIGGER_HOST, &d->trigger_host, NULL);
    take("CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", CU_COREDUMP_LIGHTWEIGHT, &d->lightweight, NULL);
    take("CUDA_ENABLE_USER_TRIGGERED_COREDUMP", CU_COREDUMP_ENABLE_USER_TRIGGER, &d->user_trigger,
         NULL);
    take("CUDA_COREDUMP_FILE", CU_COREDUMP_FILE, NULL, d->file);
    take("CUDA_COREDUMP_PIPE", CU_COREDUMP_PIPE, NULL, d->pipe);
    take_flags(&d->flags);
    kd_on_fault(fault_met);
}

void drv_core_dump_init(struct drv_core_dump *d, unsigned flags) {
    drv_lock();
    *d = global;
    drv_unlock();
    if (flags & CU_CTX_COREDUMP_ENABLE)
        d->on_exception = true;
    if (flags & CU_CTX_USER_COREDUMP_ENABLE)
        d->user_trigger = true;
}
