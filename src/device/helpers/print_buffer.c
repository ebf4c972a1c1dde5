#include "device/helpers/print_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "support/no_cancel.h"

void print_buffer_open(struct print_buffer *b, size_t size) {
    memset(b, 0, sizeof *b);
    pthread_mutex_init(&b->flushing, NULL);
    b->size = size;
}

void print_buffer_close(struct print_buffer *b) {
    free(b->data);
    pthread_mutex_destroy(&b->flushing);
}

bool print_buffer_resize(struct print_buffer *b, size_t size) {
    kd_lock(&b->lock);
    bool unused = !b->in_use;
    if (unused)
        b->size = size;
    kd_unlock(&b->lock);
    return unused;
}

static void write_at(struct print_buffer *b, size_t at, const void *p, size_t n) {
    at %= b->size;
    size_t head = n < b->size - at ? n : b->size - at;
    memcpy(b->data + at, p, head);
    memcpy(b->data, (const char *)p + head, n - head);
}

static void read_at(const struct print_buffer *b, size_t at, void *p, size_t n) {
    at %= b->size;
    size_t head = n < b->size - at ? n : b->size - at;
    memcpy(p, b->data + at, head);
    memcpy((char *)p + head, b->data, n - head);
}

static void drop_oldest(struct print_buffer *b) {
    uint32_t n;
    read_at(b, b->first, &n, sizeof n);
    b->first = (b->first + sizeof n + n) % b->size;
    b->used -= sizeof n + n;
}

void print_buffer_append(struct print_buffer *b, const char *text, size_t n) {
    uint32_t length = (uint32_t)n;
    kd_lock(&b->lock);
    b->in_use = true;
    if (!b->data && b->size)
        b->data = malloc(b->size);
    if (b->data && n <= UINT32_MAX && sizeof length + n <= b->size) {
        while (b->size - b->used < sizeof length + n)
            drop_oldest(b);
        write_at(b, b->first + b->used, &length, sizeof length);
        write_at(b, b->first + b->used + sizeof length, text, n);
        b->used += sizeof length + n;
        atomic_store_explicit(&b->pending, b->used, memory_order_relaxed);
    }
    kd_unlock(&b->lock);
}

// Moves the waiting text to the heap, so that no kernel waits for the output stream.
static char *take_all(struct print_buffer *b, size_t *length) {
    *length = 0;
    kd_lock(&b->lock);
    char *text = b->used ? malloc(b->used) : NULL;
    while (text && b->used) {
        uint32_t n;
        read_at(b, b->first, &n, sizeof n);
        read_at(b, b->first + sizeof n, text + *length, n);
        *length += n;
        drop_oldest(b);
    }
    atomic_store_explicit(&b->pending, b->used, memory_order_relaxed);
    kd_unlock(&b->lock);
    return text;
}

void print_buffer_flush(struct print_buffer *b, FILE *out) {
    if (atomic_load_explicit(&b->pending, memory_order_relaxed) == 0)
        return;
    NO_CANCEL();
    pthread_mutex_lock(&b->flushing);
    size_t length;
    char *text = take_all(b, &length);
    if (text) { // what comes behind may go another way, as an error's message does
        fwrite(text, 1, length, out);
        fflush(out);
    }
    free(text);
    pthread_mutex_unlock(&b->flushing);
}
