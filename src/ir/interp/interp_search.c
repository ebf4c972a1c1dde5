// Which thread touched an address. Compiled code does not keep what that takes; so after a fault
// the block is run once more, here, one thread at a time, until an access covers the address.
// Nothing that the process can see changes: shared and local memory are new, and of all other
// memory the thread sees copies of pages. What the block has already changed may lead another
// way; then nothing is found.
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ir/interp/interp_internal.h"
#include "support/memory.h"

enum { PAGE = 4096, BUCKETS = 4096, MAX_PAGES = 16384, SHARED_ALIGN = 1024 };
static const uint64_t PATIENCE_NS = 400000000, MAX_LOCAL = 256u << 20;

struct page {
    struct page *next;
    uint64_t address;
    uint8_t bytes[PAGE];
};

struct interp_search {
    struct interp in;
    struct kd_block block;      // a copy, with memory of its own
    const struct kd_block *was; // as the fault left it
    const uint64_t *address;    // NULL: any that is not there
    uint64_t local_bytes, deadline;
    struct page *pages[BUCKETS];
    uint32_t npages;
    int pipe[2];
    jmp_buf end;
    bool found;
    struct kir_access at;
};

static _Thread_local struct interp_search *current;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static _Noreturn void give_up(void) {
    longjmp(current->end, 1);
}

static _Noreturn void end_at(uint64_t address, uint32_t thread, const char *file, uint32_t line) {
    current->found = true;
    current->at =
        (struct kir_access){.address = address, .thread = thread, .file = file, .line = line};
    longjmp(current->end, 1);
}

static _Noreturn void end_here(struct interp *in, struct interp_thread *t, uint64_t address) {
    const struct kir_inst *i = interp_at(t)->ir;
    const char *file = i->line && i->file < in->m->files.len ? in->m->files.data[i->file] : NULL;
    end_at(address, t->id, file, file ? i->line : 0);
}

// ---- memory ----------------------------------------------------------------------------------

// Copies a page if it is there: the system looks, so that no signal comes of it.
static bool copy_page(struct interp_search *s, uint64_t address, uint8_t *to) {
    ssize_t n = write(s->pipe[1], (const void *)(uintptr_t)address, PAGE); // NOLINT
    for (ssize_t at = 0; at < n;) {
        ssize_t got = read(s->pipe[0], to + at, (size_t)(n - at));
        if (got <= 0)
            return false;
        at += got;
    }
    return n == PAGE;
}

static uint8_t *page_of(struct interp_search *s, struct interp_thread *t, uint64_t touched) {
    uint64_t address = touched / PAGE * PAGE;
    struct page **bucket = &s->pages[address / PAGE % BUCKETS];
    for (struct page *p = *bucket; p; p = p->next)
        if (p->address == address)
            return p->bytes;
    struct page *p = s->npages < MAX_PAGES ? memory_calloc(1, sizeof *p) : NULL;
    if (!p)
        give_up();
    if (!copy_page(s, address, p->bytes)) {
        free(p);
        if (!s->address)
            end_here(&s->in, t, touched);
        give_up();
    }
    p->address = address;
    p->next = *bucket;
    *bucket = p;
    s->npages++;
    return p->bytes;
}

static bool inside(uint64_t address, uint64_t size, const void *base, uint64_t bytes) {
    return address - (uint64_t)(uintptr_t)base < bytes &&
           size <= bytes - (address - (uint64_t)(uintptr_t)base);
}

void *interp_search_address(struct interp *in, struct interp_thread *t, uint64_t address,
                            uint64_t size) {
    struct interp_search *s = in->search;
    if (s->address && *s->address - address < size)
        end_here(in, t, address);
    if (inside(address, size, s->block.shared, s->block.shared_window_bytes) ||
        inside(address, size, s->block.local, s->local_bytes))
        return (void *)(uintptr_t)address; // NOLINT: a generic address is a host address
    uint64_t page = address / PAGE * PAGE;
    if (address + size > page + PAGE)
        give_up();
    return page_of(s, t, address) + (address - page);
}

// ---- what the device would do ----------------------------------------------------------------

// A shared or local address out of its window: is it the one, as a host address?
static void search_fault(struct kd_block *b, uint32_t thread, uint32_t fault, uint64_t address,
                         const char *file, uint32_t line) {
    const struct kd_block *was = current->was;
    uint64_t shared = (uint64_t)(uintptr_t)was->shared + address;
    uint64_t local = (uint64_t)(uintptr_t)was->local + thread * was->local_stride + address;
    if (fault == KD_FAULT_ILLEGAL_ADDRESS && current->address) {
        if (*current->address - shared < 32 || *current->address - local < 32)
            end_at(*current->address, thread, file, line);
    }
    give_up();
}

static int32_t search_vprintf(struct kd_block *b, uint32_t thread, const char *format,
                              const void *args) {
    return 0;
}

static void search_nanosleep(struct kd_block *b, uint32_t thread, uint32_t ns) {
}

static uint32_t search_grid(struct kd_block *b, uint32_t action, uint32_t lanes) {
    return 1;
}

static void search_yield(struct kd_block *b) {
    if (now_ns() > current->deadline)
        give_up();
}

// Every other helper ends the search.
#define GIVE_UP(ret, name, args) .name = (ret(*) args)(void (*)(void))give_up,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
static const struct kd_rt give_up_table = {KD_RT_FUNCTIONS(GIVE_UP)};
#pragma GCC diagnostic pop

static struct kd_rt search_table(void) {
    struct kd_rt rt = give_up_table;
    rt.kd_rt_fault_at = search_fault;
    rt.kd_rt_vprintf = search_vprintf;
    rt.kd_rt_nanosleep = search_nanosleep;
    rt.kd_rt_grid = search_grid;
    rt.kd_rt_yield = search_yield;
    return rt;
}

// ---- the search ------------------------------------------------------------------------------

static bool prepare(struct interp_search *s, const struct kd_block *b) {
    uint64_t window = (b->shared_window_bytes + SHARED_ALIGN) / SHARED_ALIGN * SHARED_ALIGN;
    uint64_t lanes = (b->nthreads + KD_WARP - 1) / KD_WARP * (uint64_t)KD_WARP;
    s->was = b;
    s->block = *b;
    s->local_bytes = lanes * b->local_stride;
    s->pipe[0] = s->pipe[1] = -1;
    s->block.local = NULL;
    s->block.shared = aligned_alloc(SHARED_ALIGN, window);
    if (!s->block.shared || s->local_bytes > MAX_LOCAL || pipe(s->pipe))
        return false;
    memset(s->block.shared, 0, window);
    s->block.local = memory_calloc(1, s->local_bytes + 1);
    s->deadline = now_ns() + PATIENCE_NS;
    s->in.search = s;
    return s->block.local != NULL;
}

static void clean_up(struct interp_search *s) {
    for (int k = 0; k < 2; k++)
        if (s->pipe[k] >= 0)
            close(s->pipe[k]);
    for (uint32_t k = 0; k < BUCKETS; k++)
        for (struct page *p = s->pages[k], *next; p; p = next) {
            next = p->next;
            free(p);
        }
    free(s->block.shared);
    free(s->block.local);
    interp_release(&s->in);
    free(s);
}

// Runs until an access is found, or the block ends. No local variable is looked at after a jump.
static void run_search(struct interp_search *s, struct kir_module *m, struct kir_func *kernel) {
    struct kd_rt rt = search_table();
    if (setjmp(s->end) == 0)
        interp_run(&s->in, m, kernel, &s->block, &rt);
}

bool kir_find_access(struct kir_module *m, struct kir_func *kernel, const struct kd_block *b,
                     const uint64_t *address, struct kir_access *out) {
    struct interp_search *s = memory_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->address = address;
    current = s;
    if (prepare(s, b))
        run_search(s, m, kernel);
    current = NULL;
    bool found = s->found;
    *out = s->at;
    clean_up(s);
    return found;
}
