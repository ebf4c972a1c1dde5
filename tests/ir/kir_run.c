// kir-run: runs a kernel on the interpreter, without driver or device.
//
//   kir-run [options] FILE KERNEL GX GY GZ BX BY BZ ARGS...
//
// FILE is PTX, or kernel IR text (.ir). ARGS, in the order of the parameters:
//   buf:N[:PATTERN]  N words; zero (default), iota, ones, rand; dumped after the run
//   i32:V i64:V f32:V f64:V hex:BYTES
// Options: --shared N   bytes of dynamic shared memory    --stack N   local memory a thread
//          --print      the IR and nothing else           --text      print, parse, run that
//          --raw        no run: exit 0 when the file loads
// Prints each buffer as lines "K: word word ...", in hexadecimal, or "fault: NAME thread T".
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/helpers/async.h"
#include "device/helpers/tensor_memory.h"
#include "device/memory/multicast.h"
#include "ir/interp/interp.h"
#include "ptx/ast.h"

enum { MAX_BUFFERS = 16, WORDS_A_LINE = 16 };

struct options {
    const char *file, *kernel;
    uint32_t grid[3], block[3], shared, stack;
    bool print, text, raw;
};

static struct {
    uint32_t *data;
    size_t words;
} buffers[MAX_BUFFERS];
static int nbuffers;
static jmp_buf faulted;
static const char *const fault_names[] = {
    "none",           "illegal_address",     "misaligned", "trap",     "assert",
    "stack_overflow", "illegal_instruction", "invalid_pc", "deadlock", "out_of_memory"};

static void die(const char *what, const char *which) {
    fprintf(stderr, "kir-run: %s%s\n", what, which);
    exit(2);
}

// ---- the device's helpers ----------------------------------------------------------------------

// Enough of printf for the tests: %d, %u, %x, %s, %f, %c, %%, and l.
static int32_t rt_vprintf(struct kd_block *b, uint32_t thread, const char *fmt, const void *args) {
    const uint8_t *p = args;
    int32_t n = 0;
    for (; *fmt; fmt++) {
        if (*fmt != '%' || *++fmt == '%') {
            putchar(*fmt);
            continue;
        }
        bool wide = *fmt == 'l';
        while (*fmt == 'l')
            fmt++;
        wide = wide || *fmt == 's' || *fmt == 'f';
        p += wide ? -(uintptr_t)p & 7 : 0;
        uint64_t v = 0;
        memcpy(&v, p, wide ? 8 : 4);
        double d;
        memcpy(&d, &v, 8);
        p += wide ? 8 : 4;
        if (*fmt == 's')
            fputs((const char *)(uintptr_t)v, stdout);
        else if (*fmt == 'f')
            printf("%f", d);
        else if (*fmt == 'x')
            printf("%" PRIx64, v);
        else if (*fmt == 'c')
            putchar((int)v);
        else
            printf("%" PRId64, wide ? (int64_t)v : (int64_t)(int32_t)v);
        n++;
    }
    return n;
}

static uint64_t rt_malloc(struct kd_block *b, uint32_t thread, uint64_t size) {
    return (uint64_t)(uintptr_t)malloc(size);
}

static void rt_free(struct kd_block *b, uint32_t thread, uint64_t ptr) {
    free((void *)(uintptr_t)ptr);
}

static void rt_fault(struct kd_block *b, uint32_t thread, uint32_t fault) {
    printf("fault: %s thread %" PRIu32 "\n", fault_names[fault], thread);
    longjmp(faulted, 1);
}

static void rt_fault_at(struct kd_block *b, uint32_t thread, uint32_t fault, uint64_t address,
                        const char *file, uint32_t line) {
    rt_fault(b, thread, fault);
}

static void rt_assertfail(struct kd_block *b, uint32_t thread, const char *expr, const char *file,
                          uint32_t line, const char *func, uint64_t char_size) {
    printf("assert: %s:%" PRIu32 ": %s: %s\n", file, line, func, expr);
}

static void rt_nanosleep(struct kd_block *b, uint32_t thread, uint32_t ns) {
}

static uint64_t rt_globaltimer(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void rt_yield(struct kd_block *b) {
}

// There are no multicast objects here.
unsigned multicast_enter(uint64_t address, uint64_t bytes, uint64_t at[KD_MOST_MEMBERS]) {
    (void)address, (void)bytes, (void)at;
    return 0;
}

void multicast_leave(void) {
}

// Tells what it was asked for.
static void rt_tex(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                   const uint64_t *in, uint64_t *out) {
    uint32_t n = kd_image_inputs(form);
    uint64_t told[KD_IMAGE_MAX_OUTPUTS] = {(uint32_t)object, form, n ? in[0] : 0,
                                           n > 1 ? in[n - 1] : 0};
    for (uint32_t k = 0; k < kd_image_outputs(form); k++)
        out[k] = told[k];
}

// The same; what a store is given goes where its last value says.
static void rt_surf(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                    const uint64_t *in, uint64_t *out) {
    uint32_t n = kd_image_inputs(form);
    if (kd_image_op(form) > KD_IMAGE_LOAD)
        *(uint32_t *)(uintptr_t)object = (uint32_t)(form + 1000 * in[0] + in[n - 1]);
    else
        rt_tex(b, thread, object, form, in, out);
}

static uint32_t next_block, blocks; // of the grid: what has not begun; all

static void place(const struct kd_block *b, uint32_t n, uint32_t ctaid[3]) {
    ctaid[0] = n % b->nctaid[0];
    ctaid[1] = n / b->nctaid[0] % b->nctaid[1];
    ctaid[2] = n / b->nctaid[0] / b->nctaid[1];
}

// A block alone: nothing but what async.c does, and that blocks behind it can be cancelled.
static uint64_t rt_async(struct kd_block *b, uint32_t thread, uint32_t code, const uint64_t *args) {
    struct async_outcome out;
    uint64_t request[4] = {args[0], args[1]};
    uint32_t ctaid[3];
    if ((code & KD_ASYNC_OP_MASK) == KD_ASYNC_TRY_CANCEL) {
        bool any = next_block < blocks;
        place(b, next_block, ctaid);
        next_block += any;
        async_cancel_answer(any ? ctaid : NULL, request + 2);
        args = request;
    }
    uint64_t r = tensor_memory_operation(code)
                     ? tensor_memory_execute(b, thread, code, args, &out, NULL)
                     : async_execute(b, code, args, &out, NULL);
    if (out.fault)
        rt_fault(b, thread, out.fault);
    return r;
}

struct kd_block *cluster_block(struct kd_block *b, uint32_t rank) {
    return rank ? NULL : b;
}

static uint32_t cluster_phase;

static void rt_cluster_block_arrive(struct kd_block *b) {
    cluster_phase++;
}

static uint32_t rt_cluster_phase(struct kd_block *b) {
    return cluster_phase;
}

static const struct kd_rt rt = {.kd_rt_async = rt_async,
                                .kd_rt_cluster_block_arrive = rt_cluster_block_arrive,
                                .kd_rt_cluster_phase = rt_cluster_phase,
                                .kd_rt_vprintf = rt_vprintf,
                                .kd_rt_malloc = rt_malloc,
                                .kd_rt_free = rt_free,
                                .kd_rt_assertfail = rt_assertfail,
                                .kd_rt_fault = rt_fault,
                                .kd_rt_fault_at = rt_fault_at,
                                .kd_rt_nanosleep = rt_nanosleep,
                                .kd_rt_globaltimer = rt_globaltimer,
                                .kd_rt_yield = rt_yield,
                                .kd_rt_tex = rt_tex,
                                .kd_rt_surf = rt_surf};

// ---- loading -----------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f)
        die("cannot open ", path);
    char *text = NULL;
    size_t cap = 0;
    *len = 0;
    do {
        if (*len == cap) {
            cap = cap ? cap * 2 : 65536;
            text = realloc(text, cap);
        }
        *len += fread(text + *len, 1, cap - *len, f);
    } while (!feof(f) && !ferror(f));
    fclose(f);
    return text;
}

static struct kir_module *from_ptx(const char *text, size_t len, struct strbuf *err) {
    struct arena a = {0};
    struct ptx_module *ast = ptx_parse(&a, text, len, err);
    struct kir_module *m = ast && ptx_verify(ast, err) ? kir_from_ptx(ast, err) : NULL;
    arena_free(&a);
    return m;
}

// Prints the module, parses that, prints again: both texts must be the same.
static struct kir_module *round_trip(struct kir_module *m) {
    struct strbuf first = {0}, second = {0}, err = {0};
    kir_print_module(m, &first);
    struct kir_module *again = kir_parse(strbuf_str(&first), first.len, &err);
    if (!again)
        die("the text form does not parse: ", strbuf_str(&err));
    kir_print_module(again, &second);
    if (strcmp(strbuf_str(&first), strbuf_str(&second)))
        die("the text form changes when it is parsed", "");
    kir_module_free(m);
    strbuf_free(&first);
    strbuf_free(&second);
    return again;
}

static struct kir_module *load(const struct options *o) {
    struct strbuf err = {0};
    size_t len, n = strlen(o->file);
    char *text = read_file(o->file, &len);
    bool is_ir = n > 3 && !strcmp(o->file + n - 3, ".ir");
    struct kir_module *m = is_ir ? kir_parse(text, len, &err) : from_ptx(text, len, &err);
    if (m && !kir_validate(m, &err))
        die("invalid IR\n", strbuf_str(&err));
    if (!m)
        die("", strbuf_str(&err));
    if (o->text)
        m = round_trip(m);
    if (!kir_validate(m, &err))
        die("invalid IR after a round trip\n", strbuf_str(&err));
    free(text);
    return m;
}

static uint8_t **make_variables(struct kir_module *m) {
    uint8_t **vars = calloc(m->vars.len + 1, sizeof *vars);
    for (uint32_t k = 0; k < m->vars.len; k++) {
        const struct kir_symbol *s = m->vars.data[k];
        vars[k] = aligned_alloc(64, (s->size + 64) / 64 * 64);
        memset(vars[k], 0, s->size);
        if (s->init)
            memcpy(vars[k], s->init, s->size);
    }
    for (uint32_t k = 0; k < m->vars.len; k++)
        for (uint32_t n = 0; n < m->vars.data[k]->relocs.len; n++) {
            const struct kir_reloc *r = &m->vars.data[k]->relocs.data[n];
            uint64_t to = r->sym->func ? ((uint64_t)r->sym->func->index + 1) * 16
                                       : (uint64_t)(uintptr_t)vars[r->sym->index];
            to += (uint64_t)r->addend;
            memcpy(vars[k] + r->offset, &to, r->size);
        }
    return vars;
}

// ---- arguments ---------------------------------------------------------------------------------

static uint64_t make_buffer(const char *spec) {
    char *end;
    size_t n = strtoul(spec, &end, 0);
    const char *pattern = *end == ':' ? end + 1 : "zero";
    if (nbuffers == MAX_BUFFERS)
        die("too many buffers", "");
    uint32_t *p = aligned_alloc(64, (n * 4 + 64) / 64 * 64), x = 12345;
    for (size_t k = 0; k < n; k++) {
        x = x * 1664525u + 1013904223u;
        p[k] = !strcmp(pattern, "iota")   ? (uint32_t)k
               : !strcmp(pattern, "ones") ? 1
               : !strcmp(pattern, "rand") ? x
                                          : 0;
    }
    buffers[nbuffers].data = p;
    buffers[nbuffers++].words = n;
    return (uint64_t)(uintptr_t)p;
}

static void put_hex(const char *digits, uint8_t *to, size_t size) {
    for (size_t k = 0; k < size && digits[0] && digits[1]; k++, digits += 2) {
        char two[3] = {digits[0], digits[1], 0};
        to[k] = (uint8_t)strtoul(two, NULL, 16);
    }
}

static void put_argument(const char *arg, uint8_t *to, size_t size) {
    uint64_t v = 0;
    if (!strncmp(arg, "buf:", 4)) {
        v = make_buffer(arg + 4);
    } else if (!strncmp(arg, "i32:", 4) || !strncmp(arg, "i64:", 4)) {
        v = (uint64_t)strtoll(arg + 4, NULL, 0);
    } else if (!strncmp(arg, "f32:", 4)) {
        float f = strtof(arg + 4, NULL);
        memcpy(&v, &f, 4);
    } else if (!strncmp(arg, "f64:", 4)) {
        double d = strtod(arg + 4, NULL);
        memcpy(&v, &d, 8);
    } else if (!strncmp(arg, "hex:", 4)) {
        put_hex(arg + 4, to, size);
        return;
    } else {
        die("this is no argument: ", arg);
    }
    memcpy(to, &v, size < 8 ? size : 8);
}

static void dump_buffers(void) {
    for (int k = 0; k < nbuffers; k++)
        for (size_t n = 0; n < buffers[k].words; n += WORDS_A_LINE) {
            printf("%d:", k);
            for (size_t j = n; j < n + WORDS_A_LINE && j < buffers[k].words; j++)
                printf(" %08" PRIx32, buffers[k].data[j]);
            printf("\n");
        }
}

// ---- running -----------------------------------------------------------------------------------

static void fill_block(struct kd_block *b, const struct options *o, const struct kir_func *f) {
    *b = (struct kd_block){.gridid = 1, .nsmid = 1};
    memcpy(b->ntid, o->block, sizeof b->ntid);
    memcpy(b->nctaid, o->grid, sizeof b->nctaid);
    b->nthreads = o->block[0] * o->block[1] * o->block[2];
    b->nwarps = (b->nthreads + KD_WARP - 1) / KD_WARP;
    b->dynamic_shared = (f->shared_static + 15) / 16 * 16;
    b->dynamic_shared_bytes = o->shared;
    b->shared_window_bytes = b->dynamic_shared + o->shared;
    b->shared = aligned_alloc(1024, (b->shared_window_bytes + 1024) / 1024 * 1024);
    b->cluster_shared = b->shared;
    b->cluster_dim[0] = b->cluster_dim[1] = b->cluster_dim[2] = b->cluster_blocks = 1;
    b->local_stride = (f->frame_bytes + o->stack + 15) / 16 * 16;
    b->local = aligned_alloc(64, (b->local_stride * b->nthreads + 64) / 64 * 64);
    memset(b->local, 0xcd, b->local_stride * b->nthreads);
}

static int run(const struct options *o, struct kir_module *m, int nargs, char **args) {
    struct kir_func *f = kir_find_func(m, o->kernel);
    struct kd_block b;
    if (!f || !f->is_kernel)
        die("no kernel is called ", o->kernel);
    if ((uint32_t)nargs != f->params.len)
        die("the number of arguments is not that of ", o->kernel);
    uint8_t *params = calloc(f->param_bytes + 16, 1);
    for (int k = 0; k < nargs; k++)
        put_argument(args[k], params + f->params.data[k]->offset, f->params.data[k]->size);
    fill_block(&b, o, f);
    b.params = params;
    b.vars = make_variables(m);
    volatile bool ok = true;
    blocks = o->grid[0] * o->grid[1] * o->grid[2];
    while (ok && next_block < blocks) {
        b.block_index = next_block;
        place(&b, next_block++, b.ctaid);
        memset(b.shared, 0xab, b.shared_window_bytes);
        tensor_memory_reset(b.tensor);
        if (setjmp(faulted))
            ok = false;
        else
            kir_interp_block(m, f, &b, &rt);
    }
    if (ok)
        dump_buffers();
    return ok ? 0 : 1;
}

static int parse_options(struct options *o, int argc, char **argv) {
    int k = 1;
    o->stack = 16384;
    for (; k < argc && !strncmp(argv[k], "--", 2); k++) {
        if (!strcmp(argv[k], "--print"))
            o->print = true;
        else if (!strcmp(argv[k], "--text"))
            o->text = true;
        else if (!strcmp(argv[k], "--raw"))
            o->raw = true;
        else if (!strcmp(argv[k], "--shared") && k + 1 < argc)
            o->shared = (uint32_t)strtoul(argv[++k], NULL, 0);
        else if (!strcmp(argv[k], "--stack") && k + 1 < argc)
            o->stack = (uint32_t)strtoul(argv[++k], NULL, 0);
        else
            die("unknown option ", argv[k]);
    }
    if (k == argc)
        die("usage: kir-run [options] FILE KERNEL GX GY GZ BX BY BZ ARGS...", "");
    o->file = argv[k++];
    if (o->print || o->raw)
        return k;
    if (argc - k < 7)
        die("expected KERNEL GX GY GZ BX BY BZ", "");
    o->kernel = argv[k++];
    for (int n = 0; n < 6; n++)
        (n < 3 ? o->grid : o->block)[n % 3] = (uint32_t)strtoul(argv[k++], NULL, 0);
    return k;
}

int main(int argc, char **argv) {
    struct options o = {0};
    int k = parse_options(&o, argc, argv);
    struct kir_module *m = load(&o);
    int status = 0;
    if (o.print) {
        struct strbuf out = {0};
        kir_print_module(m, &out);
        fputs(strbuf_str(&out), stdout);
        strbuf_free(&out);
    } else if (!o.raw) {
        status = run(&o, m, argc - k, argv + k);
    }
    kir_module_free(m);
    return status;
}
