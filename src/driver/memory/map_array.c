// Mapping memory at arrays, in the order of a stream (cuMemMapArrayAsync).
#include "driver/graph/capture.h"
#include "driver/memory/sparse.h"

#include <stdlib.h>

// A box of tiles, all of which get memory, one after the other, or lose it.
struct box {
    struct drv_tiles *t;
    struct drv_allocation *of; // NULL: unmapped
    uint64_t offset;
    uint64_t first, wide, high, deep; // tiles
    uint64_t down, back;              // tiles from row to row, from slice to slice
};

struct work {
    struct drv_context *ctx;
    unsigned n;
    struct box box[];
};

// ---- What is mapped, under drv_virtual_lock
// ------------------------------------------------------

static void let_go(struct drv_allocation *a, uint64_t tiles) {
    a->mapped -= (unsigned)tiles;
    drv_allocation_end_if_unused(a);
}

static void note(struct drv_tiles *t, uint64_t first, uint64_t n, struct drv_allocation *of) {
    for (uint64_t k = first; k < first + n; k++) {
        struct drv_allocation *before = t->held[k];
        t->held[k] = of;
        if (before)
            let_go(before, 1);
    }
}

// Maps a run of tiles; what could not be has the memory's count back.
static bool run_tiles(const struct box *b, uint64_t first, uint64_t n, uint64_t offset, bool go) {
    go = go && !b->t->gone;
    if (go && kd_sparse_map(b->t->s, first, n, b->of ? b->of->p : NULL, offset)) {
        note(b->t, first, n, b->of);
        return true;
    }
    if (b->of)
        let_go(b->of, n);
    return !go;
}

static bool run_box(const struct box *b, bool go) {
    uint64_t offset = b->offset;
    bool ok = true;
    for (uint64_t z = 0; z < b->deep; z++)
        for (uint64_t y = 0; y < b->high; y++) {
            ok &= run_tiles(b, b->first + z * b->back + y * b->down, b->wide, offset, go);
            offset += b->wide << KD_TILE_SHIFT;
        }
    return ok;
}

static void drop(struct drv_tiles *t) {
    if (atomic_fetch_sub(&t->holders, 1) != 1)
        return;
    kd_sparse_free(t->s);
    free(t->held);
    free(t);
}

void drv_tiles_close(struct drv_tiles *t) {
    pthread_mutex_lock(&drv_virtual_lock);
    t->gone = true;
    pthread_mutex_unlock(&drv_virtual_lock);
}

void drv_tiles_end(struct drv_tiles *t) {
    pthread_mutex_lock(&drv_virtual_lock);
    t->gone = true;
    note(t, 0, t->tiles, NULL);
    pthread_mutex_unlock(&drv_virtual_lock);
    drop(t);
}

// On a thread of the device, in any case.
static void run(void *arg, enum kd_status status) {
    struct work *w = arg;
    CALL();
    for (unsigned k = 0; k < w->n; k++) {
        pthread_mutex_lock(&drv_virtual_lock);
        bool ok = run_box(&w->box[k], status == KD_OK);
        pthread_mutex_unlock(&drv_virtual_lock);
        if (!ok)
            kd_sparse_failed(w->ctx->c, drv_tiles_base(w->box[k].t));
        drop(w->box[k].t);
    }
    free(w);
}

// ---- What is asked for
// ----------------------------------------------------------------------------

static CUresult find(const CUarrayMapInfo *i, struct drv_tiles **out, unsigned *levels) {
    struct drv_array *a;
    struct drv_mipmap *m;
    if (i->resourceType == CU_RESOURCE_TYPE_ARRAY) {
        TRY(drv_array_find(i->resource.array, &a));
        REQUIRE(!a->level, CUDA_ERROR_INVALID_VALUE,
                "memory is mapped at the mipmapped array, not at a level of it");
        *out = a->tiles;
        *levels = 0;
    } else {
        REQUIRE(i->resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CUDA_ERROR_INVALID_VALUE,
                "memory is mapped at arrays and mipmapped arrays, not at a resource of type %d",
                (int)i->resourceType);
        TRY(drv_mipmap_find(i->resource.mipmap, &m));
        *out = m->tiles;
        *levels = m->levels;
    }
    REQUIRE(*out, CUDA_ERROR_INVALID_VALUE,
            "the array was created with neither CUDA_ARRAY3D_SPARSE nor "
            "CUDA_ARRAY3D_DEFERRED_MAPPING");
    return CUDA_SUCCESS;
}

// An offset and an extent along one dimension of `size` texels, in tiles. What reaches beyond the
// level, to the end of its last tile, is taken as what ends with it.
static CUresult along(const char *name, unsigned offset, unsigned extent, uint64_t tile,
                      uint64_t size, uint64_t *first, uint64_t *n) {
    uint64_t end = (uint64_t)offset + extent, last = (size + tile - 1) / tile * tile;
    REQUIRE(extent && end <= last && offset % tile == 0 && (end % tile == 0 || end == size),
            CUDA_ERROR_INVALID_VALUE,
            "%s: %u texels from %u on of %llu are no whole tiles of %llu texels", name, extent,
            offset, (unsigned long long)size, (unsigned long long)tile);
    *first = offset / tile;
    *n = (end + tile - 1) / tile - *first;
    return CUDA_SUCCESS;
}

static CUresult level_box(const CUarrayMapInfo *i, struct drv_tiles *t, unsigned levels,
                          struct box *b) {
    unsigned k = i->subresource.sparseLevel.level, layer = i->subresource.sparseLevel.layer;
    uint64_t x, y, z;
    REQUIRE(levels ? k < levels : !k, CUDA_ERROR_INVALID_VALUE, "level %u of %u", k,
            levels ? levels : 1);
    REQUIRE(k < t->tail_level, CUDA_ERROR_INVALID_VALUE,
            "level %u is of the mip tail, which begins with level %u", k, t->tail_level);
    REQUIRE(layer < t->layers, CUDA_ERROR_INVALID_VALUE, "layer %u of %u", layer, t->layers);
    const struct kd_image_level *l = kd_sparse_level(t->s, k);
    TRY(along("x", i->subresource.sparseLevel.offsetX, i->subresource.sparseLevel.extentWidth,
              (uint64_t)t->side << t->shift[0], l->width, &x, &b->wide));
    TRY(along("y", i->subresource.sparseLevel.offsetY, i->subresource.sparseLevel.extentHeight,
              (uint64_t)t->side << t->shift[1], l->height, &y, &b->high));
    TRY(along("z", i->subresource.sparseLevel.offsetZ, i->subresource.sparseLevel.extentDepth,
              1ull << t->shift[2], l->depth, &z, &b->deep));
    b->down = l->across;
    b->back = (uint64_t)l->across * l->down;
    b->first =
        ((l->base - drv_tiles_base(t)) >> KD_TILE_SHIFT) + (layer + z) * b->back + y * b->down + x;
    if (b->wide == b->down) { // rows that lie one after the other
        b->wide *= b->high;
        b->high = 1;
    }
    if (b->wide == b->back) {
        b->wide *= b->deep;
        b->deep = 1;
    }
    return CUDA_SUCCESS;
}

static CUresult tail_box(const CUarrayMapInfo *i, struct drv_tiles *t, unsigned levels,
                         struct box *b) {
    unsigned layer = i->subresource.miptail.layer;
    unsigned long long offset = i->subresource.miptail.offset, size = i->subresource.miptail.size;
    uint64_t tiles = levels ? t->tail_tiles : t->tiles; // of an array one for all layers
    REQUIRE(t->tail_tiles, CUDA_ERROR_INVALID_VALUE, "the array has no mip tail");
    REQUIRE(layer < (levels ? t->layers : 1), CUDA_ERROR_INVALID_VALUE, "layer %u of %u", layer,
            levels ? t->layers : 1);
    REQUIRE(size && offset % KD_TILE == 0 && size % KD_TILE == 0 && offset / KD_TILE <= tiles &&
                size / KD_TILE <= tiles - offset / KD_TILE,
            CUDA_ERROR_INVALID_VALUE,
            "%llu bytes from %llu on are no tiles of a mip tail of %llu bytes", size, offset,
            (unsigned long long)tiles << KD_TILE_SHIFT);
    b->first = t->tail + layer * t->tail_tiles + offset / KD_TILE;
    b->wide = size / KD_TILE;
    b->high = b->deep = 1;
    return CUDA_SUCCESS;
}

static CUresult box_of(const CUarrayMapInfo *i, struct box *b) {
    struct drv_tiles *t;
    unsigned levels;
    TRY(find(i, &t, &levels));
    *b = (struct box){.t = t, .offset = i->offset};
    if (t->deferred) {
        b->wide = t->tiles;
        b->high = b->deep = 1;
        return CUDA_SUCCESS;
    }
    if (i->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL)
        return level_box(i, t, levels, b);
    REQUIRE(i->subresourceType == CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of a subresource", (int)i->subresourceType);
    return tail_box(i, t, levels, b);
}

// Under drv_virtual_lock: the memory is held from here on.
static CUresult hold(const CUarrayMapInfo *i, struct drv_device *device, struct box *b) {
    uint64_t tiles = b->wide * b->high * b->deep;
    struct drv_allocation *a = drv_allocation_find(i->memHandle.memHandle);
    REQUIRE(a && !a->multicast, CUDA_ERROR_INVALID_VALUE,
            "%#llx is no memory allocation, or one that was released", i->memHandle.memHandle);
    REQUIRE(a->prop.allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL, CUDA_ERROR_INVALID_VALUE,
            "the memory was not created with CU_MEM_CREATE_USAGE_TILE_POOL");
    REQUIRE(a->prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                a->prop.location.id == device->ordinal,
            CUDA_ERROR_INVALID_VALUE, "the memory is not of device %d", device->ordinal);
    REQUIRE(i->offset % KD_TILE == 0 && i->offset <= a->size &&
                tiles <= (a->size - i->offset) >> KD_TILE_SHIFT,
            CUDA_ERROR_INVALID_VALUE,
            "%llu tiles from byte %llu on are not within the memory's %llu bytes",
            (unsigned long long)tiles, i->offset, (unsigned long long)a->size);
    a->mapped += (unsigned)tiles;
    b->of = a;
    return CUDA_SUCCESS;
}

static CUresult plan(const CUarrayMapInfo *i, struct drv_device *device, struct box *b) {
    bool maps = i->memOperationType == CU_MEM_OPERATION_TYPE_MAP;
    TRY(box_of(i, b));
    REQUIRE(maps || i->memOperationType == CU_MEM_OPERATION_TYPE_UNMAP, CUDA_ERROR_INVALID_VALUE,
            "%d is no type of operation", (int)i->memOperationType);
    REQUIRE(!i->flags && !i->reserved[0] && !i->reserved[1], CUDA_ERROR_INVALID_VALUE,
            "flags and reserved words must be 0");
    REQUIRE(device->ordinal < 32 && i->deviceBitMask == 1u << device->ordinal,
            CUDA_ERROR_INVALID_VALUE, "deviceBitMask is %#x, the stream's device is %d",
            i->deviceBitMask, device->ordinal);
    REQUIRE(i->memHandleType == CU_MEM_HANDLE_TYPE_GENERIC, CUDA_ERROR_INVALID_VALUE,
            "%d is no type of handle", (int)i->memHandleType);
    REQUIRE(maps || !i->memHandle.memHandle, CUDA_ERROR_INVALID_VALUE,
            "memory is unmapped without a handle");
    CUresult result = CUDA_SUCCESS;
    if (maps) {
        pthread_mutex_lock(&drv_virtual_lock);
        result = hold(i, device, b);
        pthread_mutex_unlock(&drv_virtual_lock);
    }
    if (result == CUDA_SUCCESS)
        atomic_fetch_add(&b->t->holders, 1);
    return result;
}

// All entries, or none when one of them is wrong. Until a tile is mapped its texels are zero, and
// what is stored there is dropped; arrays with deferred mapping must not be used before.
CUresult cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count, CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(hStream, &q, &ctx));
    REQUIRE(mapInfoList || !count, CUDA_ERROR_INVALID_VALUE, "mapInfoList cannot be NULL");
    TRY(drv_capture_refuse(q, ctx, "given mappings of an array"));
    if (!count)
        return CUDA_SUCCESS;
    struct work *w = malloc(sizeof *w + count * sizeof *w->box);
    REQUIRE(w, CUDA_ERROR_OUT_OF_MEMORY, "no memory for %u mappings", count);
    w->ctx = ctx;
    CUresult result = CUDA_SUCCESS;
    for (w->n = 0; w->n < count && result == CUDA_SUCCESS;) {
        result = plan(&mapInfoList[w->n], ctx->device, &w->box[w->n]);
        w->n += result == CUDA_SUCCESS;
    }
    if (result == CUDA_SUCCESS)
        result = drv_status(kd_submit_host(q, run, w, true), ctx);
    if (result != CUDA_SUCCESS)
        run(w, KD_FAULTED); // gives back what it holds
    return result;
}
