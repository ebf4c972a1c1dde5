// Pages of 4 KiB; small sizes share a run of pages (slots of one size), large ones take whole
// pages. Each size has a lock of its own, held for a few instructions.
#include "device/memory/heap.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/internal.h"

enum { PAGE = 4096, RUN_PAGES = 4, RUN_BYTES = RUN_PAGES * PAGE, MAP_WORDS = RUN_BYTES / 16 / 64 };
enum page_kind { PAGE_FREE, PAGE_RUN, PAGE_LARGE, PAGE_REST };

// The first page of a run or of a large allocation carries its description.
struct heap_page {
    uint8_t kind;  // enum page_kind; PAGE_REST: belongs to a page before it
    uint8_t class; // PAGE_RUN
    bool listed;   // PAGE_RUN: in its class's list
    uint32_t npages;
    uint32_t back;       // PAGE_REST: pages to the first one
    uint32_t used;       // PAGE_RUN: slots
    uint32_t next, prev; // PAGE_RUN: list, page + 1
    uint64_t *map;       // PAGE_RUN: a bit a slot, 1: taken
};

static const uint16_t class_bytes[HEAP_CLASSES] = {16,  32,  48,   64,   80,   96,  112, 128,
                                                   160, 192, 224,  256,  320,  384, 448, 512,
                                                   640, 768, 1024, 1360, 2048, 4096};

static int class_of(uint64_t size) {
    int c = 0;
    while (class_bytes[c] < size)
        c++;
    return c;
}

static uint32_t slots(int class) {
    return RUN_BYTES / class_bytes[class];
}

// ---- Opening ------------------------------------------------------------------------------

static bool open_now(struct kd_context *c) {
    struct heap *h = &c->heap;
    uint64_t size = (c->limits[KD_LIMIT_MALLOC_HEAP] + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (size == 0 || size / PAGE > UINT32_MAX / 2)
        return false;
    h->pages = calloc(size / PAGE, sizeof *h->pages);
    if (!h->pages)
        return false;
    if (memory_alloc(c, KD_MEMORY_DEVICE, size, PAGE, 0, true, &h->base)) {
        free(h->pages);
        h->pages = NULL;
        return false;
    }
    h->npages = (uint32_t)(size / PAGE);
    return true;
}

static bool is_open(struct kd_context *c) {
    struct heap *h = &c->heap;
    int state = atomic_load_explicit(&h->opened, memory_order_acquire);
    if (state == 0 && atomic_compare_exchange_strong(&h->opened, &state, 1)) {
        state = open_now(c) ? 2 : 3;
        atomic_store_explicit(&h->opened, state, memory_order_release);
    }
    while (state == 1 || state == 0) {
        sched_yield();
        state = atomic_load_explicit(&h->opened, memory_order_acquire);
    }
    return state == 2;
}

bool heap_used(struct heap *h) {
    return atomic_load(&h->opened) == 2;
}

void heap_close(struct heap *h) {
    for (uint32_t i = 0; i < h->npages; i++)
        free(h->pages[i].map);
    free(h->pages);
    memory_free_locked(h->base);
}

// ---- Pages --------------------------------------------------------------------------------

// First page of `n` free ones in [from, to), at a multiple of `align`, or `to`.
static uint32_t find_pages(const struct heap *h, uint32_t from, uint32_t to, uint32_t n,
                           uint64_t align) {
    uint32_t found = 0;
    for (uint32_t i = from; i < to;) {
        const struct heap_page *p = &h->pages[i];
        if (p->kind == PAGE_FREE) {
            bool begins = (h->base + (uint64_t)i * PAGE) % align == 0;
            if ((found || begins) && ++found == n)
                return i + 1 - n;
            i++;
        } else {
            found = 0;
            i += p->kind == PAGE_REST ? 1 : p->npages;
        }
    }
    return to;
}

// Page + 1; 0: no room.
static uint32_t pages_take(struct heap *h, uint32_t n, uint64_t align, enum page_kind kind) {
    kd_lock(&h->pages_lock);
    uint32_t at = find_pages(h, h->search, h->npages, n, align);
    if (at == h->npages)
        at = find_pages(h, 0, h->npages, n, align);
    bool ok = at != h->npages;
    if (ok) {
        for (uint32_t i = 0; i < n; i++)
            h->pages[at + i] = (struct heap_page){.kind = PAGE_REST, .back = i};
        h->pages[at].kind = (uint8_t)kind;
        h->pages[at].npages = n;
        h->search = at + n < h->npages ? at + n : 0;
    }
    kd_unlock(&h->pages_lock);
    return ok ? at + 1 : 0;
}

static void pages_give(struct heap *h, uint32_t at) {
    kd_lock(&h->pages_lock);
    uint32_t n = h->pages[at].npages;
    for (uint32_t i = 0; i < n; i++)
        h->pages[at + i].kind = PAGE_FREE;
    if (at < h->search)
        h->search = at;
    kd_unlock(&h->pages_lock);
}

// ---- Runs of slots ------------------------------------------------------------------------

static void list_run(struct heap *h, int class, uint32_t at) {
    struct heap_page *p = &h->pages[at];
    p->listed = true;
    p->prev = 0;
    p->next = h->classes[class].partial;
    if (p->next)
        h->pages[p->next - 1].prev = at + 1;
    h->classes[class].partial = at + 1;
}

static void unlist_run(struct heap *h, int class, uint32_t at) {
    struct heap_page *p = &h->pages[at];
    p->listed = false;
    if (p->prev)
        h->pages[p->prev - 1].next = p->next;
    else
        h->classes[class].partial = p->next;
    if (p->next)
        h->pages[p->next - 1].prev = p->prev;
}

static bool new_run(struct heap *h, int class) {
    uint64_t *map = calloc(MAP_WORDS, sizeof *map);
    if (!map)
        return false;
    uint32_t at = pages_take(h, RUN_PAGES, PAGE, PAGE_RUN);
    if (!at) {
        free(map);
        return false;
    }
    h->pages[at - 1].class = (uint8_t) class;
    h->pages[at - 1].map = map;
    list_run(h, class, at - 1);
    return true;
}

static uint32_t take_slot(struct heap_page *p) {
    for (uint32_t w = 0;; w++) {
        if (p->map[w] == ~0ull)
            continue;
        uint32_t bit = (uint32_t)__builtin_ctzll(~p->map[w]);
        p->map[w] |= 1ull << bit;
        p->used++;
        return w * 64 + bit;
    }
}

static uint64_t take_small(struct heap *h, uint64_t size) {
    int class = class_of(size);
    struct heap_class *k = &h->classes[class];
    uint64_t ptr = 0;
    kd_lock(&k->lock);
    if (k->partial || new_run(h, class)) {
        uint32_t at = k->partial - 1;
        uint32_t slot = take_slot(&h->pages[at]);
        if (h->pages[at].used == slots(class))
            unlist_run(h, class, at);
        ptr = h->base + (uint64_t)at * PAGE + (uint64_t)slot * class_bytes[class];
    }
    kd_unlock(&k->lock);
    return ptr;
}

static bool give_small(struct heap *h, uint32_t at, uint64_t offset) {
    int class = h->pages[at].class;
    struct heap_class *k = &h->classes[class];
    uint64_t slot = offset / class_bytes[class];
    uint64_t *map = NULL;
    kd_lock(&k->lock);
    struct heap_page *p = &h->pages[at];
    bool ok = p->kind == PAGE_RUN && p->class == class && offset % class_bytes[class] == 0 &&
              slot < slots(class) && (p->map[slot / 64] >> slot % 64 & 1);
    if (ok) {
        p->map[slot / 64] &= ~(1ull << slot % 64);
        p->used--;
        if (!p->listed)
            list_run(h, class, at);
        if (p->used == 0) {
            unlist_run(h, class, at);
            map = p->map;
            p->map = NULL;
            pages_give(h, at);
        }
    }
    kd_unlock(&k->lock);
    free(map);
    return ok;
}

// ---- Interface ----------------------------------------------------------------------------

static uint64_t take_large(struct heap *h, uint64_t size, uint64_t align) {
    uint32_t at = pages_take(h, (uint32_t)((size + PAGE - 1) / PAGE), align, PAGE_LARGE);
    return at ? h->base + (uint64_t)(at - 1) * PAGE : 0;
}

// Blocks that are checked have room behind them that belongs to nobody.
static uint64_t wanted(uint64_t size) {
    return check_tools() ? size + CHECK_HEAP_MORE : size;
}

static uint64_t taken(uint64_t ptr, uint64_t size) {
    if (ptr && check_tools())
        check_heap_add(ptr, size);
    return ptr;
}

uint64_t heap_take(struct kd_context *c, uint64_t bytes) {
    struct heap *h = &c->heap;
    uint64_t size = wanted(bytes);
    if (!is_open(c) || size < bytes || size > (uint64_t)h->npages * PAGE)
        return 0;
    return taken(size <= PAGE ? take_small(h, size ? size : 1) : take_large(h, size, PAGE), bytes);
}

// Slots whose size is a power of two lie at its multiples, in runs that begin with a page.
uint64_t heap_take_aligned(struct kd_context *c, uint64_t bytes, uint64_t align) {
    struct heap *h = &c->heap;
    uint64_t size = wanted(bytes);
    if (size < bytes || !align || (align & (align - 1)) || !is_open(c) ||
        size > (uint64_t)h->npages * PAGE)
        return 0;
    if (size > PAGE || align > PAGE)
        return taken(take_large(h, size ? size : 1, align > PAGE ? align : PAGE), bytes);
    uint64_t slot = 16;
    while (slot < size || slot < align)
        slot *= 2;
    return taken(take_small(h, slot), bytes);
}

bool heap_give(struct kd_context *c, uint64_t ptr) {
    struct heap *h = &c->heap;
    if (ptr && check_tools() && check_heap_free(ptr, &ptr) != CHECK_HEAP_OK)
        return false;
    if (!ptr)
        return true;
    if (!heap_used(h) || ptr < h->base || ptr - h->base >= (uint64_t)h->npages * PAGE)
        return false;
    uint32_t at = (uint32_t)((ptr - h->base) / PAGE);
    if (h->pages[at].kind == PAGE_REST)
        at -= h->pages[at].back;
    uint64_t offset = ptr - h->base - (uint64_t)at * PAGE;
    if (h->pages[at].kind == PAGE_RUN)
        return give_small(h, at, offset);
    if (h->pages[at].kind != PAGE_LARGE || offset)
        return false;
    pages_give(h, at);
    return true;
}
