// kudzu-device-linker (device_linker_main.c): joins the device code of objects for one
// architecture.
//
//     kudzu-device-linker [--unless-linked] <architecture> <output.bc> <names>
//                         <object or archive>...
//
// A program of its own, since it brings LLVM along, which `kudzu cc` does not need otherwise.
// Steps: read all files; choose those members of archives that the host program or the device
// code needs; link their bitcode; check that nothing is undefined; make what only device code
// sees internal, so that the optimiser may drop or inline it. The file of names gets a line for
// each kernel and variable, and for the symbol of each object (DEVICE_LINK_SYMBOL). With
// --unless-linked nothing is linked where all that is needed has been, by a device link among the
// files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include "cc/link/device_image.h"
#include "cc/link/device_linker.h"
#include "cc/link/llvm_end.h"
#include "cc/objects/object_file.h"
#include "cc/options/architectures.h"
#include "image/image.h"
#include "support/strbuf.h"

struct unit {
    const struct object_file *object;
    LLVMModuleRef module; // NULL: no device code
    const char *lacks;    // no code for this architecture: what it has code for
    bool chosen;
};

struct linker {
    struct arena arena;
    const char *arch;
    object_files objects;
    VEC(struct unit) units;
    LLVMContextRef context;
    bool unless_linked;
    bool failed;
    bool nothing; // no file that is needed has device code
};

static bool fail(const char *fmt, const char *a, const char *b) {
    fprintf(stderr, "%s: error: ", cc_command_name());
    fprintf(stderr, fmt, a, b);
    fputc('\n', stderr);
    return false;
}

// ---- Names --------------------------------------------------------------------------------
// A set of symbol names with two bits each, hashed; names live as long as the link.

enum { NEEDED = 1, DEFINED = 2 };
struct symbol {
    const char *name;
    uint32_t bits;
};
struct symbol_set {
    struct symbol *slots;
    size_t capacity, used; // capacity is a power of two
};

static size_t slot_of(const struct symbol_set *s, const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = name; *c; ++c)
        hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
    size_t i = hash & (s->capacity - 1);
    while (s->slots[i].name && strcmp(s->slots[i].name, name) != 0)
        i = (i + 1) & (s->capacity - 1);
    return i;
}

static void grow(struct arena *arena, struct symbol_set *s) {
    struct symbol_set bigger = {.capacity = s->capacity ? s->capacity * 2 : 1024};
    bigger.slots = arena_array(arena, struct symbol, bigger.capacity);
    for (size_t i = 0; i < s->capacity; ++i)
        if (s->slots[i].name)
            bigger.slots[slot_of(&bigger, s->slots[i].name)] = s->slots[i];
    bigger.used = s->used;
    *s = bigger;
}

static void mark(struct arena *arena, struct symbol_set *s, const char *name, uint32_t bits) {
    if (2 * s->used >= s->capacity)
        grow(arena, s);
    struct symbol *slot = &s->slots[slot_of(s, name)];
    s->used += !slot->name;
    slot->name = name;
    slot->bits |= bits;
}

static bool is_missing(const struct symbol_set *s, const char *name) {
    return s->capacity && s->slots[slot_of(s, name)].bits == NEEDED;
}

// ---- Reading ------------------------------------------------------------------------------

// The bitcode of a container that serves the architecture best, in *out; 0: there is none, -1: an
// error was reported. The names of what is there go to *has.
static int find_bitcode(struct linker *l, const struct object_file *o, struct kimg *it,
                        struct kimg_entry *out, struct strbuf *has) {
    char err[256];
    struct kimg_entry e;
    uint32_t best = 0;
    for (int more; (more = kimg_next(it, &e, err, sizeof err)) != 0;) {
        if (more < 0)
            return fail("%s: damaged device code: %s", o->name, err) - 1;
        if (e.kind != DEVICE_IMAGE_BITCODE || !e.name || !architecture_number(e.name))
            continue;
        bool same = !strcmp(e.name, l->arch);
        uint32_t number = same ? UINT32_MAX : architecture_number(e.name);
        strbuf_printf(has, " %s", e.name);
        if (architecture_serves(e.name, l->arch) && number > best) {
            *out = e;
            best = number;
        }
    }
    return best != 0;
}

// clang gives a static variable that host code uses a name of its own, but not in functions that
// stand before the host code: those are mended here.
static void unite_static_names(LLVMModuleRef m) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
        size_t n, length;
        const char *name = LLVMGetValueName2(g, &n);
        for (LLVMValueRef d = LLVMGetFirstGlobal(m); LLVMIsDeclaration(g) && d;
             d = LLVMGetNextGlobal(d)) {
            const char *other = LLVMGetValueName2(d, &length);
            if (LLVMIsDeclaration(d) || length < n + 10 || strncmp(other, name, n) != 0 ||
                strncmp(other + n, "__static__", 10) != 0)
                continue;
            LLVMReplaceAllUsesWith(g, d);
            break;
        }
    }
}

// Code is compiled, and inlined, for what its functions say: that of another architecture becomes
// this one's.
static void set_architecture(struct linker *l, LLVMModuleRef m) {
    static const char *const names[] = {"target-cpu", "target-features"};
    const char *features = arena_printf(&l->arena, "+ptx85,+%s", l->arch);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (unsigned i = 0; i < 2; ++i) {
            const char *value = i ? features : l->arch;
            unsigned n = (unsigned)strlen(names[i]);
            if (!LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, names[i], n))
                continue;
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, names[i], n);
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateStringAttribute(l->context, names[i], n, value, (unsigned)strlen(value)));
        }
}

static bool read_bitcode(struct linker *l, struct unit *u, const struct kimg_entry *e) {
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(e->data, e->size, u->object->name);
    LLVMModuleRef module;
    bool bad = LLVMParseBitcodeInContext2(l->context, buffer, &module);
    LLVMDisposeMemoryBuffer(buffer);
    if (bad)
        return fail("%s: its device code is not bitcode of this version%s", u->object->name, "");
    unite_static_names(module);
    if (strcmp(e->name, l->arch) != 0)
        set_architecture(l, module);
    if (u->module && (LLVMLinkModules2(u->module, module) || l->failed))
        return fail("%s%s: its device code cannot be linked", u->object->name, "");
    if (!u->module)
        u->module = module;
    return true;
}

// An object that was made of several by `ld -r` has a container of each.
static bool read_unit(struct linker *l, struct unit *u) {
    const struct object_file *o = u->object;
    if (!o->device || o->is_device_link)
        return true;
    char err[256];
    struct strbuf has = {0};
    struct kimg it;
    struct kimg_entry e;
    bool ok = true;
    for (size_t at = 0; ok && at < o->device_size &&
                        kimg_open(&it, o->device + at, o->device_size - at, err, sizeof err);
         at += (it.size + 7) & ~(size_t)7) {
        int found = find_bitcode(l, o, &it, &e, &has);
        ok = found >= 0 && (!found || read_bitcode(l, u, &e));
    }
    const char *list = arena_strdup(&l->arena, strbuf_str(&has));
    strbuf_free(&has);
    if (ok && !u->module && !o->in_archive)
        return fail("%s has no device code for this architecture; it has code for%s", o->name,
                    list);
    u->lacks = ok && !u->module ? list : NULL;
    return ok;
}

// ---- Choosing -----------------------------------------------------------------------------

struct selection {
    struct symbol_set host, device;
};

static const char *value_name(struct linker *l, LLVMValueRef v) {
    size_t n;
    const char *name = LLVMGetValueName2(v, &n);
    return arena_strndup(&l->arena, name, n);
}

static bool is_local(LLVMValueRef v) {
    LLVMLinkage linkage = LLVMGetLinkage(v);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
           linkage == LLVMAppendingLinkage;
}

static void mark_value(struct linker *l, struct selection *s, LLVMValueRef v) {
    if (!is_local(v))
        mark(&l->arena, &s->device, value_name(l, v), LLVMIsDeclaration(v) ? NEEDED : DEFINED);
}

static void choose(struct linker *l, struct selection *s, struct unit *u) {
    u->chosen = true;
    for (uint32_t i = 0; i < u->object->defined.len; ++i)
        mark(&l->arena, &s->host, u->object->defined.data[i], DEFINED);
    for (uint32_t i = 0; i < u->object->undefined.len; ++i)
        mark(&l->arena, &s->host, u->object->undefined.data[i], NEEDED);
    if (!u->module)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        mark_value(l, s, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
        mark_value(l, s, g);
}

static bool defines_missing(struct linker *l, const struct selection *s, const struct unit *u) {
    for (uint32_t i = 0; i < u->object->defined.len; ++i)
        if (is_missing(&s->host, u->object->defined.data[i]))
            return true;
    if (!u->module)
        return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && !is_local(f) && is_missing(&s->device, value_name(l, f)))
            return true;
    for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
        if (!LLVMIsDeclaration(g) && !is_local(g) && is_missing(&s->device, value_name(l, g)))
            return true;
    return false;
}

// Objects first, then members of archives, in order, until nothing more is needed.
static void choose_units(struct linker *l, struct selection *s) {
    mark(&l->arena, &s->host, "main", NEEDED);
    for (uint32_t i = 0; i < l->units.len; ++i)
        if (!l->units.data[i].object->in_archive)
            choose(l, s, &l->units.data[i]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < l->units.len; ++i)
            if (!l->units.data[i].chosen && defines_missing(l, s, &l->units.data[i])) {
                choose(l, s, &l->units.data[i]);
                more = true;
            }
    }
}

// Whether device links among the files have what is needed of device code.
static bool all_is_linked(const struct linker *l, const struct selection *s) {
    for (uint32_t i = 0; i < l->units.len; ++i) {
        const struct unit *u = &l->units.data[i];
        bool linked = false;
        for (uint32_t k = 0; u->chosen && k < u->object->undefined.len; ++k) {
            const char *name = u->object->undefined.data[k];
            if (is_device_link_symbol(name) && is_missing(&s->host, name))
                return false;
            linked |= is_device_link_symbol(name);
        }
        if (u->chosen && (u->module || u->lacks) && !linked)
            return false;
    }
    return true;
}

// ---- Linking ------------------------------------------------------------------------------

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data) {
    struct linker *l = data;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    char *text = LLVMGetDiagInfoDescription(info);
    if (severity == LLVMDSError) {
        l->failed = true;
        fail("device link: %s%s", text, "");
    } else if (severity == LLVMDSWarning) {
        fprintf(stderr, "%s: warning: device link: %s\n", cc_command_name(), text);
    }
    LLVMDisposeMessage(text);
}

static LLVMModuleRef link_units(struct linker *l) {
    LLVMModuleRef whole = NULL;
    for (uint32_t i = 0; i < l->units.len; ++i) {
        struct unit *u = &l->units.data[i];
        if (u->chosen && u->lacks)
            return l->failed = true,
                   fail("%s has no device code for this architecture; it has code for%s",
                        u->object->name, u->lacks),
                   NULL;
        if (!u->chosen || !u->module)
            continue;
        if (!whole)
            whole = u->module;
        else if (LLVMLinkModules2(whole, u->module) || l->failed)
            return l->failed = true,
                   fail("%s%s: its device code cannot be linked", u->object->name, ""), NULL;
    }
    return whole;
}

// ---- The whole ----------------------------------------------------------------------------

// What the driver provides to device code.
static bool is_system_function(const char *name) {
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail",
                                        "__nvvm_reflect"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "llvm.", 5) || !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

// In the C++ library, which LLVM brings along.
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

// The name as in the source.
static const char *demangled(struct arena *arena, const char *name) {
    int status = 0;
    char *text = __cxa_demangle(name, NULL, NULL, &status);
    const char *copy = text && !status ? arena_strdup(arena, text) : name;
    free(text);
    return copy;
}

static bool is_shared_memory(LLVMValueRef v) {
    return LLVMIsAGlobalVariable(v) && LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == 3;
}

// Whether code or a variable names it. Constants that nothing names are left over of what is
// deleted.
static bool is_used(LLVMValueRef v) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) || LLVMIsAGlobalValue(user) || is_used(user))
            return true;
    }
    return false;
}

static bool check_defined(struct linker *l, LLVMValueRef v) {
    if (!LLVMIsDeclaration(v) || !is_used(v) || is_shared_memory(v))
        return true;
    const char *name = value_name(l, v);
    // Built-in variables are names for registers: clang declares them and never reads them.
    if (is_system_function(name))
        return true;
    return fail("undefined reference to '%s' in device code%s", demangled(&l->arena, name), "");
}

static bool is_kernel(LLVMModuleRef m, LLVMValueRef f) {
    if (LLVMGetFunctionCallConv(f) == LLVMPTXKernelCallConv) // since LLVM 20
        return true;
    unsigned n = LLVMGetNamedMetadataNumOperands(m, "nvvm.annotations");
    LLVMValueRef *nodes = calloc(n ? n : 1, sizeof *nodes);
    bool found = false;
    if (n)
        LLVMGetNamedMetadataOperands(m, "nvvm.annotations", nodes);
    for (unsigned i = 0; i < n && !found; ++i) {
        unsigned count = LLVMGetMDNodeNumOperands(nodes[i]), length;
        LLVMValueRef *operands = calloc(count ? count : 1, sizeof *operands);
        LLVMGetMDNodeOperands(nodes[i], operands);
        for (unsigned j = 1; j < count && operands[0] == f && !found; j += 2) {
            const char *key = operands[j] ? LLVMGetMDString(operands[j], &length) : NULL;
            found = key && length == 6 && !memcmp(key, "kernel", 6);
        }
        free(operands);
    }
    free(nodes);
    return found;
}

// clang's lists of what must survive until the link. The last one, which each file has, names what
// host code refers to: where that is not defined here it may be in an object that is linked
// already.
static bool is_used_list(LLVMValueRef g) {
    static const char *const names[] = {"llvm.used", "llvm.compiler.used",
                                        "__clang_gpu_used_external"};
    size_t n;
    const char *name = LLVMGetValueName2(g, &n);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

static void delete_global(LLVMValueRef g) {
    LLVMReplaceAllUsesWith(g, LLVMGetUndef(LLVMTypeOf(g)));
    if (LLVMIsAFunction(g))
        LLVMDeleteFunction(g);
    else
        LLVMDeleteGlobal(g);
}

static void drop_used_lists(LLVMModuleRef m) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (is_used_list(g))
            delete_global(g);
    }
}

static bool is_left_over(LLVMValueRef v) {
    return LLVMIsDeclaration(v) && LLVMGetFirstUse(v) && !is_used(v);
}

// Only kernels and variables are looked up by name from now on.
static bool finish(struct linker *l, LLVMModuleRef m) {
    bool ok = true;
    drop_used_lists(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        ok &= check_defined(l, f);
        if (is_left_over(f))
            delete_global(f);
        else if (!LLVMIsDeclaration(f) && !is_local(f) && !is_kernel(m, f)) {
            LLVMSetLinkage(f, LLVMInternalLinkage);
            LLVMSetVisibility(f, LLVMDefaultVisibility);
        }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(m), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        ok &= check_defined(l, g);
        if (is_left_over(g))
            delete_global(g);
    }
    return ok;
}

static void put_name(struct linker *l, FILE *f, LLVMValueRef v) {
    if (!LLVMIsDeclaration(v) && !is_local(v))
        fprintf(f, "%s\n", value_name(l, v));
}

static bool write_names(struct linker *l, LLVMModuleRef m, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        return fail("cannot write %s%s", path, "");
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        put_name(l, file, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
        if (!is_shared_memory(g))
            put_name(l, file, g);
    for (uint32_t i = 0; i < l->units.len; ++i) {
        const struct unit *u = &l->units.data[i];
        for (uint32_t k = 0; u->chosen && k < u->object->undefined.len; ++k)
            if (is_device_link_symbol(u->object->undefined.data[k]))
                fprintf(file, "%s\n", u->object->undefined.data[k]);
    }
    return fclose(file) == 0 || fail("cannot write %s%s", path, "");
}

static bool run(struct linker *l, const char *output, const char *names) {
    for (uint32_t i = 0; i < l->objects.len; ++i)
        vec_push(&l->arena, &l->units, (struct unit){.object = &l->objects.data[i]});
    for (uint32_t i = 0; i < l->units.len; ++i)
        if (!read_unit(l, &l->units.data[i]))
            return false;
    struct selection needed = {0};
    choose_units(l, &needed);
    if (l->unless_linked && all_is_linked(l, &needed)) {
        l->nothing = true;
        return false;
    }
    LLVMModuleRef whole = link_units(l);
    l->nothing = !whole && !l->failed;
    if (!whole || !finish(l, whole))
        return false;
    if (LLVMWriteBitcodeToFile(whole, output))
        return fail("cannot write %s%s", output, "");
    return write_names(l, whole, names);
}

int device_linker(int argc, char **argv) {
    cc_take_command_name();
    bool unless_linked = argc > 1 && !strcmp(argv[1], "--unless-linked");
    argc -= unless_linked, argv += unless_linked;
    if (argc < 5)
        return fail("kudzu-device-linker: [--unless-linked] <architecture> <output> <names> "
                    "<file>...%s%s",
                    "", ""),
               1;
    llvm_end_watch("device link");
    struct linker l = {
        .arch = argv[1], .context = LLVMContextCreate(), .unless_linked = unless_linked};
    LLVMContextSetDiagnosticHandler(l.context, on_diagnostic, &l);
    for (int i = 4; i < argc; ++i)
        if (!object_files_read(&l.arena, argv[i], &l.objects))
            return 1;
    return run(&l, argv[2], argv[3]) && !l.failed ? 0 : l.nothing ? DEVICE_LINK_NOTHING : 1;
}
