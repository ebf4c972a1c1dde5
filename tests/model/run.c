#include "run.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The kernel ---------------------------------------------------------------------------

enum { BLOCKS = 2, THREADS = 32 };

// When an operation ran, in ticks of one counter: the first block's begin, the last one's end.
struct stamp {
    _Atomic uint64_t begin, end, blocks_ended;
};

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry mix(.param .u64 dst, .param .u64 a, .param .u64 b, .param .u32 n,\n"
    "    .param .u32 salt, .param .u32 spin, .param .u64 stamp, .param .u64 clock)\n"
    "{\n"
    "    .reg .pred %p<4>;\n    .reg .b32 %r<20>;\n    .reg .b64 %d<20>;\n"
    "    ld.param.u64 %d1, [dst];\n    ld.param.u64 %d2, [a];\n    ld.param.u64 %d3, [b];\n"
    "    ld.param.u32 %r1, [n];\n    ld.param.u32 %r2, [salt];\n    ld.param.u32 %r3, [spin];\n"
    "    ld.param.u64 %d4, [stamp];\n    ld.param.u64 %d5, [clock];\n"
    "    mov.u32 %r4, %tid.x;\n    mov.u32 %r5, %ctaid.x;\n"
    "    setp.ne.u32 %p1, %r4, 0;\n"
    "    @%p1 bra SPIN;\n"
    "    atom.global.add.u64 %d6, [%d5], 1;\n"
    "    atom.global.min.u64 %d7, [%d4], %d6;\n"
    "SPIN:\n"
    "    setp.eq.u32 %p2, %r3, 0;\n"
    "    @%p2 bra WORDS;\n"
    "    mad.lo.u32 %r2, %r2, 1664525, 1013904223;\n"
    "    shr.u32 %r6, %r2, 13;\n"
    "    xor.b32 %r2, %r2, %r6;\n"
    "    sub.u32 %r3, %r3, 1;\n"
    "    bra SPIN;\n"
    "WORDS:\n"
    "    mad.lo.u32 %r7, %r5, 32, %r4;\n"
    "WORD:\n"
    "    setp.ge.u32 %p3, %r7, %r1;\n"
    "    @%p3 bra END;\n"
    "    mul.wide.u32 %d8, %r7, 4;\n"
    "    add.u64 %d9, %d1, %d8;\n    add.u64 %d10, %d2, %d8;\n    add.u64 %d11, %d3, %d8;\n"
    "    ld.global.u32 %r8, [%d9];\n    ld.global.u32 %r9, [%d10];\n"
    "    ld.global.u32 %r10, [%d11];\n"
    "    mul.lo.u32 %r11, %r8, 7;\n"
    "    mad.lo.u32 %r11, %r9, 3, %r11;\n"
    "    mad.lo.u32 %r11, %r10, 5, %r11;\n"
    "    add.u32 %r11, %r11, %r2;\n    add.u32 %r11, %r11, %r7;\n"
    "    st.global.u32 [%d9], %r11;\n"
    "    add.u32 %r7, %r7, 64;\n"
    "    bra WORD;\n"
    "END:\n"
    "    bar.sync 0;\n"
    "    @%p1 bra DONE;\n"
    "    membar.sys;\n"
    "    atom.global.add.u64 %d12, [%d5], 1;\n"
    "    atom.global.max.u64 %d13, [%d4+8], %d12;\n"
    "    atom.global.add.u64 %d14, [%d4+16], 1;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n";

CUresult run_load(CUmodule *module, CUfunction *mix) {
    CUresult result = cuModuleLoadData(module, ptx);
    return result ? result : cuModuleGetFunction(mix, *module, "mix");
}

// ---- A run --------------------------------------------------------------------------------

struct graph_work;

struct host_work {
    struct run *run;
    const struct step *step;
    CUstream stream;
};

struct run {
    const struct program *p;
    CUfunction mix;
    int failures;
    CUstream stream[STREAMS];
    CUevent event[EVENTS];
    CUdeviceptr cell[GRAPH_TEMP + 1];
    _Atomic uint64_t *clock; // pinned, as the stamps behind it
    struct stamp *stamps;
    uint32_t *pageable;
    struct host_work work[MAX_OPS];
    CUstream graph_stream[GRAPH_STREAMS];
    CUevent graph_event[GRAPH_EVENTS];
    CUgraphExec exec[SLOTS];
    struct graph_work *graph_works;
    atomic_int host_failures;
};

// Says so, the first few times.
__attribute__((format(printf, 2, 3))) static void differs(struct run *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (r->failures++ < 4) {
        vprintf(format, args);
        printf("\n");
    }
    va_end(args);
}

static void expect(struct run *r, CUresult got, const char *what) {
    const char *name = "?";
    if (got == CUDA_SUCCESS)
        return;
    cuGetErrorName(got, &name);
    differs(r, "%s: %s", what, name);
}
#define OK(call) expect(r, call, #call)

static size_t bytes(const struct run *r) {
    return (size_t)r->p->words * sizeof(uint32_t);
}

static void same_words(struct run *r, const uint32_t *got, const uint32_t *want, const char *what,
                       int number) {
    for (int i = 0; i < r->p->words; i++) {
        if (got[i] == want[i])
            continue;
        differs(r, "%s %d: word %d is %08x, the model has %08x", what, number, i, got[i], want[i]);
        return;
    }
}

static uint32_t *pinned(const struct run *r, int cell) {
    return (uint32_t *)(uintptr_t)r->cell[cell];
}

// A context cannot be waited for while any thread captures a stream of it.
static pthread_rwlock_t capturing = PTHREAD_RWLOCK_INITIALIZER;

static void sync_context(struct run *r) {
    pthread_rwlock_wrlock(&capturing);
    OK(cuCtxSynchronize());
    pthread_rwlock_unlock(&capturing);
}

// ---- Operations ---------------------------------------------------------------------------

static void launch_on(struct run *r, const struct step *s, CUstream stream, CUdeviceptr stamp) {
    CUdeviceptr clock = (uintptr_t)r->clock;
    uint32_t n = (uint32_t)r->p->words;
    void *params[] = {&r->cell[s->dst],  &r->cell[s->a],   &r->cell[s->b], &n,
                      (void *)&s->value, (void *)&s->spin, &stamp,         &clock};
    OK(cuLaunchKernel(r->mix, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, params, NULL));
}

static void launch(struct run *r, const struct step *s) {
    launch_on(r, s, r->stream[s->stream], (uintptr_t)&r->stamps[s->op]);
}

static void mix_on_host(struct run *r, const struct step *s) {
    if (s->spin > 2000)
        sched_yield();
    uint32_t salt = mix_salt(s->value, s->spin);
    uint32_t *dst = pinned(r, s->dst), *a = pinned(r, s->a), *b = pinned(r, s->b);
    for (int i = 0; i < r->p->words; i++)
        dst[i] = mix_word(dst[i], a[i], b[i], salt, (uint32_t)i);
}

static void CUDA_CB host_mix(void *arg) {
    struct host_work *w = arg;
    struct run *r = w->run;
    const struct step *s = w->step;
    struct stamp *stamp = &r->stamps[s->op];
    stamp->begin = atomic_fetch_add(r->clock, 1);
    mix_on_host(r, s);
    stamp->end = atomic_fetch_add(r->clock, 1);
    stamp->blocks_ended = BLOCKS;
}

static void CUDA_CB callback_mix(CUstream stream, CUresult status, void *arg) {
    struct host_work *w = arg;
    if (status != CUDA_SUCCESS || stream != w->stream)
        w->run->host_failures++;
    host_mix(arg);
}

static void host(struct run *r, const struct step *s) {
    struct host_work *w = &r->work[s->op];
    *w = (struct host_work){r, s, r->stream[s->stream]};
    if (s->kind == STEP_HOST)
        OK(cuLaunchHostFunc(r->stream[s->stream], host_mix, w));
    else
        OK(cuStreamAddCallback(r->stream[s->stream], callback_mix, w, 0));
}

static void copy_2d(struct run *r, const struct step *s, CUstream stream) {
    CUDA_MEMCPY2D c = {0};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = r->cell[s->a];
    c.dstDevice = r->cell[s->dst];
    c.srcPitch = c.dstPitch = c.WidthInBytes = 8 * sizeof(uint32_t);
    c.Height = (size_t)r->p->words / 8;
    OK(cuMemcpy2DAsync(&c, stream));
}

static void copy(struct run *r, const struct step *s) {
    if (s->kind == STEP_COPY_2D)
        copy_2d(r, s, r->stream[s->stream]);
    else if (s->kind == STEP_SYNC_COPY)
        OK(cuMemcpyDtoD(r->cell[s->dst], r->cell[s->a], bytes(r)));
    else
        OK(cuMemcpyAsync(r->cell[s->dst], r->cell[s->a], bytes(r), r->stream[s->stream]));
}

static void fill_pattern(struct run *r, uint32_t *words, uint32_t value) {
    for (int i = 0; i < r->p->words; i++)
        words[i] = in_word(value, (uint32_t)i);
}

static void copy_in(struct run *r, const struct step *s) {
    fill_pattern(r, r->pageable, s->value);
    if (s->kind == STEP_SYNC_IN)
        OK(cuMemcpyHtoD(r->cell[s->dst], r->pageable, bytes(r)));
    else
        OK(cuMemcpyHtoDAsync(r->cell[s->dst], r->pageable, bytes(r), r->stream[s->stream]));
    memset(r->pageable, 0xEE, bytes(r));
}

static void copy_out(struct run *r, const struct step *s) {
    if (s->kind == STEP_SYNC_OUT)
        OK(cuMemcpyDtoH(r->pageable, r->cell[s->a], bytes(r)));
    else
        OK(cuMemcpyDtoHAsync(r->pageable, r->cell[s->a], bytes(r), r->stream[s->stream]));
    same_words(r, r->pageable, s->expected, "copy out, operation", s->op);
}

static void set(struct run *r, const struct step *s) {
    size_t n = (size_t)r->p->words;
    if (s->kind == STEP_SYNC_SET)
        OK(cuMemsetD32(r->cell[s->dst], s->value, n));
    else
        OK(cuMemsetD32Async(r->cell[s->dst], s->value, n, r->stream[s->stream]));
}

static void allocate(struct run *r, const struct step *s) {
    if (s->kind == STEP_FREE) {
        OK(cuMemFreeAsync(r->cell[s->dst], r->stream[s->stream]));
        return;
    }
    OK(cuMemAllocAsync(&r->cell[s->dst], bytes(r), r->stream[s->stream]));
    set(r, s);
}

// ---- The host's steps ---------------------------------------------------------------------

static void new_stream(struct run *r, const struct step *s) {
    CUstream *stream = &r->stream[s->stream];
    if (*stream)
        OK(cuStreamDestroy(*stream));
    OK(cuStreamCreateWithPriority(
        stream, s->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, s->priority));
}

static void new_event(struct run *r, const struct step *s) {
    if (r->event[s->event])
        OK(cuEventDestroy(r->event[s->event]));
    OK(cuEventCreate(&r->event[s->event], CU_EVENT_DEFAULT));
}

static bool stamped(const struct run *r, int op) {
    return r->p->kind[op] <= STEP_CALLBACK;
}

static void query(struct run *r, const struct step *s, int number) {
    CUresult got = s->kind == STEP_QUERY_STREAM ? cuStreamQuery(r->stream[s->stream])
                                                : cuEventQuery(r->event[s->event]);
    if (got == CUDA_ERROR_NOT_READY && !s->ready)
        return;
    expect(r, got, "query");
    for (int op = 0; op < r->p->nops; op++) {
        if (!set_has(&s->ended, op) || !stamped(r, op) || r->stamps[op].blocks_ended == BLOCKS)
            continue;
        differs(r, "step %d, a query: operation %d has not ended", number, op);
    }
}

// ---- Graphs -------------------------------------------------------------------------------

// A host function of a graph; it stays until the end of the run.
struct graph_work {
    struct run *run;
    const struct step *step;
    struct graph_work *next;
};

static void CUDA_CB graph_host_mix(void *arg) {
    const struct graph_work *w = arg;
    mix_on_host(w->run, w->step);
}

static void capture_host(struct run *r, const struct step *s, CUstream stream) {
    struct graph_work *w = malloc(sizeof *w);
    *w = (struct graph_work){r, s, r->graph_works};
    r->graph_works = w;
    OK(cuLaunchHostFunc(stream, graph_host_mix, w));
}

static void capture_step(struct run *r, const struct step *s) {
    CUstream stream = r->graph_stream[s->stream];
    size_t n = (size_t)r->p->words;
    switch (s->kind) {
    case STEP_KERNEL:
        launch_on(r, s, stream, (uintptr_t)&r->stamps[MAX_OPS]);
        break;
    case STEP_HOST:
        capture_host(r, s, stream);
        break;
    case STEP_ALLOC:
        OK(cuMemAllocAsync(&r->cell[s->dst], bytes(r), stream));
        OK(cuMemsetD32Async(r->cell[s->dst], s->value, n, stream));
        break;
    case STEP_FREE:
        OK(cuMemFreeAsync(r->cell[s->dst], stream));
        break;
    case STEP_SET:
        OK(cuMemsetD32Async(r->cell[s->dst], s->value, n, stream));
        break;
    case STEP_COPY:
        OK(cuMemcpyAsync(r->cell[s->dst], r->cell[s->a], bytes(r), stream));
        break;
    case STEP_COPY_2D:
        copy_2d(r, s, stream);
        break;
    case STEP_RECORD:
        OK(cuEventRecord(r->graph_event[s->event], stream));
        break;
    case STEP_WAIT:
        OK(cuStreamWaitEvent(stream, r->graph_event[s->event], 0));
        break;
    case STEP_LAUNCH:
        OK(cuGraphLaunch(r->exec[s->slot], stream));
        break;
    default:
        break;
    }
}

static CUgraph capture(struct run *r, const struct step *s) {
    const struct graph *g = &r->p->graphs[s->graph];
    CUgraph graph = NULL;
    pthread_rwlock_rdlock(&capturing);
    OK(cuStreamBeginCapture(r->graph_stream[0], CU_STREAM_CAPTURE_MODE_RELAXED));
    for (int i = 0; i < g->nsteps; i++)
        capture_step(r, &g->steps[i]);
    OK(cuStreamEndCapture(r->graph_stream[0], &graph));
    pthread_rwlock_unlock(&capturing);
    return graph;
}

static void update(struct run *r, const struct step *s) {
    CUgraphExecUpdateResultInfo info;
    CUgraph graph = capture(r, s);
    OK(cuGraphExecUpdate(r->exec[s->slot], graph, &info));
    OK(cuGraphDestroy(graph));
}

static void instantiate(struct run *r, const struct step *s) {
    CUgraph graph = capture(r, s);
    if (r->exec[s->slot])
        OK(cuGraphExecDestroy(r->exec[s->slot]));
    r->exec[s->slot] = NULL;
    OK(cuGraphInstantiate(&r->exec[s->slot], graph, 0));
    OK(cuGraphDestroy(graph));
}

static void step(struct run *r, const struct step *s, int number) {
    switch (s->kind) {
    case STEP_KERNEL:
        return launch(r, s);
    case STEP_HOST:
    case STEP_CALLBACK:
        return host(r, s);
    case STEP_SET:
    case STEP_SYNC_SET:
        return set(r, s);
    case STEP_COPY:
    case STEP_COPY_2D:
    case STEP_SYNC_COPY:
        return copy(r, s);
    case STEP_COPY_IN:
    case STEP_SYNC_IN:
        return copy_in(r, s);
    case STEP_COPY_OUT:
    case STEP_SYNC_OUT:
        return copy_out(r, s);
    case STEP_ALLOC:
    case STEP_FREE:
        return allocate(r, s);
    case STEP_RECORD:
        OK(cuEventRecord(r->event[s->event], r->stream[s->stream]));
        return;
    case STEP_WAIT:
        OK(cuStreamWaitEvent(r->stream[s->stream], r->event[s->event], 0));
        return;
    case STEP_NEW_STREAM:
        return new_stream(r, s);
    case STEP_NEW_EVENT:
        return new_event(r, s);
    case STEP_SYNC_STREAM:
        OK(cuStreamSynchronize(r->stream[s->stream]));
        return;
    case STEP_SYNC_EVENT:
        OK(cuEventSynchronize(r->event[s->event]));
        return;
    case STEP_SYNC_CONTEXT:
        sync_context(r);
        return;
    case STEP_QUERY_STREAM:
    case STEP_QUERY_EVENT:
        return query(r, s, number);
    case STEP_HOST_WRITE:
        return fill_pattern(r, pinned(r, s->dst), s->value);
    case STEP_HOST_READ:
        return same_words(r, pinned(r, s->dst), s->expected, "host reads, step", number);
    case STEP_CAPTURE:
        return instantiate(r, s);
    case STEP_UPDATE:
        return update(r, s);
    case STEP_LAUNCH:
        OK(cuGraphLaunch(r->exec[s->slot], r->stream[s->stream]));
        return;
    case STEP_KINDS:
        break;
    }
}

// ---- What must hold at the end ------------------------------------------------------------

static void check_order(struct run *r) {
    const struct program *p = r->p;
    for (int later = 0; later < p->nops; later++) {
        for (int earlier = 0; stamped(r, later) && earlier < later; earlier++) {
            if (!set_has(&p->before[later], earlier) || !stamped(r, earlier) ||
                r->stamps[earlier].end < r->stamps[later].begin)
                continue;
            differs(r, "operation %d began at %llu, before %d ended at %llu", later,
                    (unsigned long long)r->stamps[later].begin, earlier,
                    (unsigned long long)r->stamps[earlier].end);
        }
    }
}

static void check_cells(struct run *r) {
    for (int c = 0; c < ALL_CELLS; c++) {
        if (!r->p->cells[c])
            continue;
        OK(cuMemcpyDtoH(r->pageable, r->cell[c], bytes(r)));
        same_words(r, r->pageable, r->p->cells[c], "at the end, cell", c);
    }
}

static void check_times(struct run *r) {
    for (int i = 0; i < EVENTS; i++) {
        for (int j = 0; j < EVENTS; j++) {
            int from = r->p->record[i], to = r->p->record[j];
            if (from < 0 || to < 0 || !set_has(&r->p->before[to], from))
                continue;
            float ms = -1;
            OK(cuEventElapsedTime(&ms, r->event[i], r->event[j]));
            if (ms >= 0)
                continue;
            differs(r, "%f ms from event %d to %d, which comes later", ms, i, j);
        }
    }
}

// ---- Begin and end ------------------------------------------------------------------------

static void begin(struct run *r) {
    void *host;
    for (int c = 0; c < CELLS; c++) {
        if (c < CELLS / 2) {
            OK(cuMemAlloc(&r->cell[c], bytes(r)));
        } else {
            OK(cuMemAllocHost(&host, bytes(r)));
            r->cell[c] = (uintptr_t)host;
        }
        OK(cuMemsetD32(r->cell[c], 0, (size_t)r->p->words));
    }
    OK(cuMemAllocHost(&host, 64 + (MAX_OPS + 1) * sizeof *r->stamps));
    r->clock = host;
    r->stamps = (struct stamp *)((char *)host + 64);
    *r->clock = 1;
    for (int i = 0; i <= MAX_OPS; i++) { // the last one is for operations of graphs

        r->stamps[i].begin = UINT64_MAX;
        r->stamps[i].end = r->stamps[i].blocks_ended = 0;
    }
    r->pageable = malloc(bytes(r));
    r->stream[1] = CU_STREAM_PER_THREAD;
    for (int i = 0; i < GRAPH_STREAMS; i++)
        OK(cuStreamCreate(&r->graph_stream[i], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < GRAPH_EVENTS; i++)
        OK(cuEventCreate(&r->graph_event[i], CU_EVENT_DISABLE_TIMING));
    sync_context(r);
}

static void end(struct run *r) {
    for (int c = 0; c < CELLS / 2; c++)
        OK(cuMemFree(r->cell[c]));
    for (int c = CELLS / 2; c < CELLS; c++)
        OK(cuMemFreeHost(pinned(r, c)));
    for (int c = CELLS; c < ALL_CELLS; c++)
        if (r->p->cells[c])
            OK(cuMemFree(r->cell[c]));
    OK(cuMemFreeHost((void *)r->clock));
    free(r->pageable);
    for (int i = 0; i < SLOTS; i++)
        if (r->exec[i])
            OK(cuGraphExecDestroy(r->exec[i]));
    for (int i = 0; i < GRAPH_STREAMS; i++)
        OK(cuStreamDestroy(r->graph_stream[i]));
    for (int i = 0; i < GRAPH_EVENTS; i++)
        OK(cuEventDestroy(r->graph_event[i]));
    while (r->graph_works) {
        struct graph_work *w = r->graph_works;
        r->graph_works = w->next;
        free(w);
    }
    for (int i = FIRST_STREAM; i < STREAMS; i++)
        OK(cuStreamDestroy(r->stream[i]));
    for (int i = 0; i < EVENTS; i++)
        OK(cuEventDestroy(r->event[i]));
}

int run_program(const struct program *p, CUfunction mix) {
    struct run *r = calloc(1, sizeof *r);
    r->p = p;
    r->mix = mix;
    begin(r);
    for (int i = 0; i < p->nsteps && !r->failures; i++)
        step(r, &p->steps[i], i);
    sync_context(r);
    if (!r->failures) {
        check_order(r);
        check_cells(r);
        check_times(r);
    }
    end(r);
    int failures = r->failures + r->host_failures;
    free(r);
    return failures;
}
