// Boxes of tensors between global and shared memory, as a tensor map describes them. In shared
// memory the elements lie in the order of the dimensions, innermost first; with a swizzle, rows of
// the innermost dimension are as long as the swizzle is wide, and the 16-byte chunks within each
// 128 bytes change places by the address's next three bits (guide 10.29.3). Larger pieces of 32
// or 64 bytes do by its next two or one: what cuda.h says of them in words, and CUTLASS of those of
// 32 bytes as Swizzle<2,5,2>; no GPU was asked.
//
// With a swizzle of 96 bytes, rows are 96 bytes apart, and pieces of 16 bytes change places in
// pairs in every other 128 bytes (PTX ISA, figure 32, as TIRx-harness has written it down).
//
// Elements of four and six bits are moved by groups, and coordinates and sizes along the innermost
// dimension are whole groups of them. Those of six bits that are padded lie side by side in shared
// memory where they are loaded (.b6x16_p32), and are stored from a byte each (.b6p2x16).
//
// No manual says what follows; an H100 does so (tests/language/tensor_refusals.cu,
// tensor_types.cu). The innermost coordinate is a multiple of 16 bytes. Boxes are stored from
// coordinates of zero up; pixels begin within the bounding box, and are stored by one that lies
// within the tensor. Everything else is an illegal instruction. What lies outside and is
// to be NaN has the halves 0x7ff7, whatever the type. Loads of TFLOAT32 round as cvt.rn.tf32 does;
// reductions of FLOAT32 keep subnormal numbers, unless the type says FTZ.
//
// Of im2col::w and im2col::w::128 the manual has figures. Where it has no words, this is what
// the simulator TIRx-harness models, and no GPU was asked: a row of the bounding box is
// followed by that of the next image, with the same row and layer; a halo is what comes next on
// that way; those of w::128, after each 32 pixels, lie behind all 128 pixels, the first of each,
// then the second of each.
//
// Of an interleaved layout a box holds one slice of each of its pixels, whatever the map says of
// the box's size in slices or of channels; the innermost coordinate counts pixels and may be any.
// What the documentation says of its swizzle (32 bytes for slices of 32) hardware does not demand
// (tests/language/interleaved_tensors.cu).
#include <string.h>

#include "abi/tensor_map.h"
#include "device/helpers/async.h"
#include "isa/fp.h"

struct walk {
    const struct tensor_map *map;
    uint32_t code, element; // bytes of an element, or of a group of smaller ones
    uint32_t from;          // the same in global memory, where nothing pads it
    uint32_t row, pitch;    // elements of a row, bytes from row to row in shared memory
    uint32_t first;         // the dimension that rows lie along next: 0 if rows are slices
    uint8_t *shared;
    bool store;
    enum tensor_pixels pixels; // of im2col
    uint64_t rows;             // so far
    struct async_watch *watch; // NULL: nobody
};

static uint32_t swizzle_width(const struct tensor_map *m) {
    return m->swizzle == TENSOR_SWIZZLE_96 ? 96 : m->swizzle ? 16u << m->swizzle : 0;
}

// Where byte `at` of the box lies.
static uint8_t *swizzled(const struct walk *w, uint64_t at) {
    static const uint8_t first_bits[] = {4, 5, 5, 6}; // by enum tensor_atom
    uint64_t p = (uint64_t)(uintptr_t)w->shared + at, line = p >> 7;
    bool pairs = w->map->swizzle == TENSOR_SWIZZLE_96;
    uint32_t width = pairs ? 32 : swizzle_width(w->map), bit = first_bits[w->map->atom];
    if (width)
        p ^= line << bit & (width - (1u << bit));
    if (w->map->atom == TENSOR_ATOM_32_FLIPPED)
        p ^= (line & 1) << 3;
    return (uint8_t *)(uintptr_t)p; // NOLINT: an address in shared memory
}

static void fill_outside(const struct walk *w, uint8_t *p) {
    const uint16_t nan = 0x7ff7;
    if (!w->map->fill_nan)
        memset(p, 0, w->element);
    else
        for (uint32_t k = 0; k < w->element; k += sizeof nan)
            memcpy(p + k, &nan, sizeof nan);
}

// One element as the type wants it in shared memory.
static void load_element(const struct walk *w, const void *from, uint8_t *to) {
    uint32_t x;
    memcpy(to, from, w->from);
    if (w->map->type != TENSOR_TFLOAT32 && w->map->type != TENSOR_TFLOAT32_FTZ)
        return;
    memcpy(&x, to, sizeof x);
    x = (uint32_t)fp_convert(FP_TF32, FP_F32, x, &(struct isa_mods){.rnd = ISA_RND_RN});
    memcpy(to, &x, sizeof x);
}

// 16 numbers of six bits, each with two bits above that are left out, to 12 bytes.
static void pack_sixes(uint8_t *to, const uint8_t *from) {
    for (unsigned k = 0; k < 4; k++, to += 3, from += 4) {
        uint32_t x = 0;
        for (unsigned i = 0; i < 4; i++)
            x |= (from[i] & 0x3fu) << 6 * i;
        memcpy(to, &x, 3);
    }
}

static bool reduces(const struct walk *w) {
    return (w->code & KD_ASYNC_OP_MASK) == KD_ASYNC_TENSOR_REDUCE;
}

// CUtensorMapDataType to the type of a reduction; -1: it has none.
static int reduction_type(uint32_t type) {
    static const int8_t types[] = {-1,          -1,          KD_TYPE_U32, KD_TYPE_S32, KD_TYPE_U64,
                                   KD_TYPE_S64, KD_TYPE_F16, KD_TYPE_F32, KD_TYPE_F64, KD_TYPE_BF16,
                                   KD_TYPE_F32, KD_TYPE_F32, KD_TYPE_F32};
    return type < sizeof types ? types[type] : -1;
}

// In the place of an address: no part of the tensor. A map's own address may be 0, where copies
// fault.
#define OUTSIDE UINT64_MAX

// A piece is about to be moved: at `global`, or OUTSIDE.
static void watch_piece(const struct walk *w, uint64_t global, const uint8_t *shared, uint32_t from,
                        uint32_t element) {
    uint64_t at = (uint64_t)(uintptr_t)shared, there = global == OUTSIDE ? 0 : global;
    struct async_piece load = {at, there, element, from}, store = {there, at, from, element};
    if (w->watch && (!w->store || global != OUTSIDE))
        w->watch->moves(w->watch,
                        !w->store    ? ASYNC_LOAD
                        : reduces(w) ? ASYNC_REDUCE
                                     : ASYNC_STORE,
                        w->store ? &store : &load);
}

// One element: at `global`, or OUTSIDE.
static bool move_element(const struct walk *w, uint64_t global, uint8_t *shared) {
    void *p = (void *)(uintptr_t)global; // NOLINT: a generic address is a host address
    watch_piece(w, global, shared, w->from, w->element);
    if (!w->store && global == OUTSIDE)
        fill_outside(w, shared);
    else if (!w->store)
        load_element(w, p, shared);
    else if (global != OUTSIDE && reduces(w))
        return async_reduce((enum kd_async_atom)(w->code >> KD_ASYNC_ATOM_SHIFT & 15),
                            (enum kd_async_type)reduction_type(w->map->type),
                            tensor_type_flushes(w->map->type), global, shared, 1);
    else if (global != OUTSIDE && w->from != w->element)
        pack_sixes(p, shared);
    else if (global != OUTSIDE)
        memcpy(p, shared, w->from);
    return true;
}

static bool inside(const struct tensor_map *m, uint32_t dim, int64_t at) {
    return at >= 0 && at <= (int64_t)m->last[dim];
}

// Bytes of the tensor that lie together, to or from byte `at` of the box, by the pieces that a
// swizzle leaves together.
static void copy_run(const struct walk *w, uint8_t *global, uint64_t at, uint64_t bytes) {
    enum { PIECE = 16 };
    uint64_t piece = w->map->atom == TENSOR_ATOM_32_FLIPPED ? PIECE / 2 : PIECE;
    if (!swizzle_width(w->map)) {
        uint8_t *shared = swizzled(w, at);
        watch_piece(w, (uint64_t)(uintptr_t)global, shared, (uint32_t)bytes, (uint32_t)bytes);
        memcpy(w->store ? global : shared, w->store ? shared : global, bytes);
        return;
    }
    for (uint64_t n; bytes; at += n, global += n, bytes -= n) {
        uint8_t *shared = swizzled(w, at), *to = w->store ? global : shared;
        const uint8_t *from = w->store ? shared : global;
        n = piece - (uintptr_t)shared % piece;
        n = n < bytes ? n : bytes;
        watch_piece(w, (uint64_t)(uintptr_t)global, shared, (uint32_t)n, (uint32_t)n);
        if (n == PIECE) { // one instruction
            memcpy(to, from, PIECE);
            continue;
        }
        memcpy(to, from, n);
    }
}

static bool is_copied(const struct walk *w) {
    if (w->from != w->element)
        return false;
    bool rounds = w->map->type == TENSOR_TFLOAT32 || w->map->type == TENSOR_TFLOAT32_FTZ;
    return w->store ? !reduces(w) : !rounds;
}

// The next row of the box: elements c0, c0 + 1, ... of the row that begins at `base`, or is
// OUTSIDE; of a slice all of them.
static bool move_row(struct walk *w, uint64_t base, int64_t c0) {
    uint64_t at = w->rows++ * w->pitch;
    int64_t begin = 0, end = w->row; // what lies within the tensor
    if (w->first) {
        begin = c0 < 0 ? -c0 : 0;
        end = (int64_t)w->map->last[0] + 1 - c0;
    } else {
        c0 = 0;
    }
    end = base == OUTSIDE ? 0 : end < w->row ? end : w->row;
    for (int64_t k = 0; k < w->row; k++) {
        uint64_t to = at + (uint64_t)k * w->element;
        uint64_t global = k >= begin && k < end ? base + (uint64_t)(c0 + k) * w->from : OUTSIDE;
        if (global != OUTSIDE && is_copied(w)) {
            void *p = (void *)(uintptr_t)global; // NOLINT: a generic address is a host address
            copy_run(w, p, to, (uint64_t)(end - k) * w->element);
            k = end - 1;
        } else if (!move_element(w, global, swizzled(w, to))) {
            return false;
        }
    }
    return true;
}

// Address of the row with the given coordinates, or OUTSIDE.
static uint64_t row_address(const struct walk *w, const int64_t *c) {
    const struct tensor_map *m = w->map;
    uint64_t base = m->address;
    for (uint32_t d = w->first; d < m->rank; d++) {
        if (!inside(m, d, c[d]))
            return OUTSIDE;
        base += (uint64_t)c[d] * (d ? m->strides[d] : tensor_slice_bytes(m->interleave));
    }
    return base;
}

static uint32_t steps_of(const struct walk *w, uint32_t d) {
    const struct tensor_map *m = w->map;
    bool slices = !w->first && d + 2 == m->rank;
    return slices ? 1 : (m->box[d] + m->step[d] - 1u) / m->step[d];
}

static bool walk_tile(struct walk *w, const int32_t *first) {
    const struct tensor_map *m = w->map;
    uint32_t n[TENSOR_MAX_DIMS] = {0};
    for (;;) {
        int64_t c[TENSOR_MAX_DIMS];
        for (uint32_t d = 0; d < m->rank; d++)
            c[d] = (int64_t)first[d] + (int64_t)n[d] * (d ? m->step[d] : w->first ? 1 : m->step[0]);
        if (!move_row(w, row_address(w, c), first[0]))
            return false;
        uint32_t d = w->first;
        while (d < m->rank && ++n[d] == steps_of(w, d))
            n[d++] = 0;
        if (d >= m->rank)
            return true;
    }
}

// Four rows of a matrix, whose numbers follow the column's.
static bool walk_rows(struct walk *w, const int32_t *first) {
    for (uint32_t k = 1; k <= 4; k++) {
        int64_t c[TENSOR_MAX_DIMS] = {first[0], first[k]};
        if (!move_row(w, row_address(w, c), first[0]))
            return false;
    }
    return true;
}

// Pixels of the bounding box one after the other, image after image; what is read lies `offsets`
// away from each.
static bool walk_pixels(struct walk *w, const int32_t *first, const uint32_t *offsets) {
    const struct tensor_map *m = w->map;
    uint32_t begin = w->first, end = begin + m->rank - 2u; // what the bounding box has
    int64_t at[TENSOR_MAX_DIMS];
    for (uint32_t d = 0; d < m->rank; d++)
        at[d] = first[d];
    for (uint32_t k = 0; k < m->pixels; k++) {
        int64_t c[TENSOR_MAX_DIMS];
        for (uint32_t d = begin; d < m->rank; d++)
            c[d] = at[d] + (d < end ? (int64_t)offsets[d - begin] : 0);
        if (!move_row(w, row_address(w, c), at[0]))
            return false;
        uint32_t d = begin;
        for (; d < end; d++) {
            at[d] += m->step[d];
            if (at[d] <= (int64_t)m->last[d] + m->upper[d - begin])
                break;
            at[d] = m->lower[d - begin];
        }
        if (d == end)
            at[m->rank - 1] += m->step[m->rank - 1];
    }
    return true;
}

// To the next pixel of the row's part of the bounding box, which lies `offset` to the right; behind
// its end is the next image.
static void next_in_row(const struct tensor_map *m, int64_t *at, uint32_t offset) {
    at[1] += m->step[1];
    if (at[1] <= (int64_t)m->last[1] + m->upper[0] + offset)
        return;
    at[1] = (int64_t)m->lower[0] + offset;
    at[m->rank - 1] += m->step[m->rank - 1];
}

// Pixels of one row, and `halo` more behind each part of them.
static bool walk_row(struct walk *w, const int32_t *first, uint32_t halo, uint32_t offset) {
    enum { WIDE = 128, MOST_PARTS = 4 };
    const struct tensor_map *m = w->map;
    bool wide = w->pixels == TENSOR_PIXELS_128;
    uint32_t pixels = wide ? WIDE : m->pixels, parts = wide ? MOST_PARTS : 1;
    int64_t at[TENSOR_MAX_DIMS], behind[MOST_PARTS][TENSOR_MAX_DIMS];
    for (uint32_t d = 0; d < m->rank; d++)
        at[d] = first[d] + (d == 1 ? (int64_t)offset : 0);
    for (uint32_t k = 0; k < pixels; k++) {
        if (!move_row(w, row_address(w, at), at[0]))
            return false;
        next_in_row(m, at, offset);
        if ((k + 1) % (pixels / parts) == 0)
            memcpy(behind[k / (pixels / parts)], at, sizeof at);
    }
    for (uint32_t k = 0; k < halo * parts; k++) {
        int64_t *next = behind[k % parts];
        if (!move_row(w, row_address(w, next), next[0]))
            return false;
        next_in_row(m, next, offset);
    }
    return true;
}

// What is wrong with the map, or NULL.
static const char *map_refused(const struct walk *w, bool im2col) {
    const struct tensor_map *m = w->map;
    if (m->magic != TENSOR_MAP_MAGIC || !w->element || !m->rank || m->rank > TENSOR_MAX_DIMS ||
        m->swizzle > TENSOR_SWIZZLE_96 || m->atom > TENSOR_ATOM_64 || m->interleave > 2)
        return "an address that is not that of a tensor map";
    if (m->interleave && m->rank < 3)
        return "a tensor map of an interleaved layout with less than three dimensions";
    if (m->atom && m->swizzle != TENSOR_SWIZZLE_128)
        return "a swizzle of less than 128 bytes whose pieces are not of 16 bytes";
    if (m->swizzle == TENSOR_SWIZZLE_96 &&
        (m->interleave || w->from != w->element || w->pixels == TENSOR_PIXELS_128))
        return "a swizzle of 96 bytes with slices, padded elements or pixels of im2col::w::128";
    if (w->store && m->atom == TENSOR_ATOM_32_FLIPPED)
        return "a store by a tensor map that exchanges halves of 16 bytes";
    if (w->store && m->type == TENSOR_U4_PADDED)
        return "a store by a tensor map whose elements of four bits are padded";
    bool rows = w->code & KD_ASYNC_ROWS;
    if (rows && (m->rank != 2 || m->box[1] != 1 || m->interleave))
        return "four rows by a tensor map whose box is not one row of a matrix";
    uint8_t kind = !im2col                          ? 0
                   : w->pixels == TENSOR_PIXELS_ALL ? TENSOR_IM2COL
                                                    : TENSOR_IM2COL_WIDE;
    if (m->rank != (rows ? 2 : w->code >> KD_ASYNC_DIMS_SHIFT & 15) || m->im2col != kind)
        return "a tensor map of another mode or number of dimensions";
    if (kind == TENSOR_IM2COL_WIDE && swizzle_width(m) < 64)
        return "pixels of a row by a tensor map without a swizzle of 64 or 128 bytes";
    for (uint32_t d = 0; d < m->rank; d++)
        if (!m->step[d] || (!im2col && !m->box[d]))
            return "a tensor map that is not valid";
    return NULL;
}

// What the manual asks of padded elements of four and six bits (PTX ISA, 9.7.9.27.1.1): rows of
// 128, of six bits that are stored also 64, which sm_103 has.
static const char *padding_refused(const struct walk *w, int32_t first) {
    enum { LOADED = 128 / 16, STORED = 64 / 16 };
    const struct tensor_map *m = w->map;
    int32_t row = m->im2col ? m->channels : m->box[0];
    if (w->from == w->element)
        return NULL;
    if (row != LOADED && !(w->store && row == STORED))
        return "a box of padded elements whose rows are not 128 of them, or stored and 64";
    if (m->swizzle && m->swizzle != TENSOR_SWIZZLE_128 &&
        !(w->store && m->swizzle == TENSOR_SWIZZLE_64))
        return "a box of padded elements with a swizzle that they do not have";
    if (m->atom == TENSOR_ATOM_32_FLIPPED || (!w->store && m->atom == TENSOR_ATOM_64))
        return "a box of padded elements with pieces of a swizzle that they do not have";
    if (first % (w->store ? STORED : LOADED))
        return "a box of padded elements that is not at a multiple of 128 of them, or stored at 64";
    return NULL;
}

// The same for pixels of a row, which may begin left of the bounding box.
static const char *row_refused(const struct walk *w, const int32_t *coords,
                               const uint32_t *offsets) {
    const struct tensor_map *m = w->map;
    uint32_t most_halo = w->pixels == TENSOR_PIXELS_128 ? 31 : 511, most_offset = 31;
    if (offsets[0] > most_halo || offsets[1] > most_offset)
        return "a halo or an offset of pixels of a row that is too large";
    if (coords[1] > (int64_t)m->last[1] + m->upper[0])
        return "pixels that begin right of the bounding box";
    return NULL;
}

// What is wrong with the box's place, or NULL.
static const char *place_refused(const struct walk *w, bool im2col, const int32_t *coords,
                                 const uint32_t *offsets) {
    const struct tensor_map *m = w->map;
    const char *refused = padding_refused(w, coords[0]);
    if (refused)
        return refused;
    if (w->first && coords[0] * (int64_t)w->element % 16)
        return "an innermost coordinate of a box that is not at a multiple of 16 bytes";
    for (uint32_t d = 0; w->store && d < m->rank; d++)
        if (coords[d] < 0)
            return "a box that is stored to a negative coordinate";
    if (w->pixels != TENSOR_PIXELS_ALL)
        return row_refused(w, coords, offsets);
    for (uint32_t d = 0; im2col && d + 2 < m->rank; d++) {
        int64_t at = coords[d + w->first];
        if (w->store && (m->lower[d] < 0 || m->upper[d] > 0))
            return "a box that is stored by a tensor map whose bounding box leaves the tensor";
        if (at < m->lower[d] || at > (int64_t)m->last[d + w->first] + m->upper[d])
            return "pixels that begin outside of the bounding box";
    }
    return NULL;
}

static uint64_t move_box(struct walk *w, const int32_t *coords, const uint32_t *offsets,
                         const char **why) {
    const struct tensor_map *m = w->map;
    bool im2col = w->code & KD_ASYNC_IM2COL;
    uint32_t slice = tensor_slice_bytes(m->interleave);
    w->pixels = im2col && !w->store ? w->code >> KD_ASYNC_ATOM_SHIFT & 15 : TENSOR_PIXELS_ALL;
    w->element = tensor_type_bytes(m->type);
    w->from = tensor_type_global_bytes(m->type);
    w->first = slice ? 0 : 1;
    const char *refused = map_refused(w, im2col);
    if (!refused)
        refused = place_refused(w, im2col, coords, offsets);
    if (refused) {
        *why = refused;
        return 0;
    }
    w->row = slice ? slice / w->element : im2col ? m->channels : m->box[0];
    w->pitch = swizzle_width(m) && !slice ? swizzle_width(m) : w->row * w->element;
    if (w->row * w->element > w->pitch) {
        *why = "rows of a box that are wider than the swizzle";
        return 0;
    }
    bool done = w->pixels != TENSOR_PIXELS_ALL ? walk_row(w, coords, offsets[0], offsets[1])
                : im2col                       ? walk_pixels(w, coords, offsets)
                : w->code & KD_ASYNC_ROWS      ? walk_rows(w, coords)
                                               : walk_tile(w, coords);
    if (!done) {
        *why = "a reduction that the tensor's type does not have";
        return 0;
    }
    return w->rows * w->row * w->element;
}

// Counts the innermost dimension in groups of elements: of the map and of c, which becomes that of
// the box. False: the box does not begin at one.
static bool count_groups(struct tensor_map *m, const int32_t *coords, int32_t *c) {
    int32_t group = (int32_t)tensor_type_group(m->type);
    memcpy(c, coords, TENSOR_MAX_DIMS * sizeof *c);
    if (group <= 1)
        return true;
    if (c[0] % group)
        return false;
    c[0] /= group;
    m->last[0] = (m->last[0] + 1) / (uint32_t)group - 1;
    m->box[0] /= (uint16_t)group;
    m->channels /= (uint16_t)group;
    return true;
}

static const char no_group[] = "an innermost coordinate that no group of small elements begins at";

uint64_t tensor_load(uint32_t code, uint8_t *to, const void *map, const int32_t *coords,
                     const uint32_t *offsets, struct async_watch *watch, const char **why) {
    struct tensor_map copy;
    memcpy(&copy, map, sizeof copy);
    struct walk w = {.map = &copy, .code = code, .shared = to, .watch = watch};
    int32_t c[TENSOR_MAX_DIMS];
    if (!count_groups(&copy, coords, c)) {
        *why = no_group;
        return 0;
    }
    return move_box(&w, c, offsets, why);
}

uint64_t tensor_store(uint32_t code, const void *map, const int32_t *coords, const uint8_t *from,
                      struct async_watch *watch, const char **why) {
    static const uint32_t none[3];
    struct tensor_map copy;
    memcpy(&copy, map, sizeof copy);
    struct walk w = {.map = &copy,
                     .code = code,
                     .shared = (uint8_t *)(uintptr_t)from,
                     .store = true,
                     .watch = watch};
    if (reduces(&w) && reduction_type(copy.type) < 0) {
        *why = "a reduction that the tensor's type does not have";
        return 0;
    }
    int32_t c[TENSOR_MAX_DIMS];
    if (!count_groups(&copy, coords, c)) {
        *why = no_group;
        return 0;
    }
    return move_box(&w, c, none, why);
}

// ---- tensormap.replace --------------------------------------------------------------------

// In the order of the instruction table.
enum field {
    FIELD_GLOBAL_ADDRESS,
    FIELD_RANK,
    FIELD_BOX_DIM,
    FIELD_GLOBAL_DIM,
    FIELD_GLOBAL_STRIDE,
    FIELD_ELEMENT_STRIDE,
    FIELD_ELEMTYPE,
    FIELD_INTERLEAVE,
    FIELD_SWIZZLE,
    FIELD_FILL,
    FIELD_ATOM
};

static bool replace_indexed(struct tensor_map *m, uint32_t field, uint32_t index, uint64_t value) {
    if (index >= TENSOR_MAX_DIMS)
        return false;
    switch (field) {
    case FIELD_BOX_DIM:
        m->box[index] = (uint16_t)value;
        return value >= 1 && value <= 256;
    case FIELD_GLOBAL_DIM:
        m->last[index] = (uint32_t)value - 1;
        return true;
    case FIELD_ELEMENT_STRIDE:
        m->step[index] = (uint8_t)value;
        return value >= 1 && value <= 8;
    default: // the stride of the innermost dimension is not kept
        if (index + 1 >= TENSOR_MAX_DIMS)
            return false;
        m->strides[index + 1] = value;
        return value % 16 == 0;
    }
}

bool tensor_map_replace(void *map, uint32_t field, uint32_t index, uint64_t value) {
    // PTX numbers element types by themselves; these are CUtensorMapDataType's.
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12, 13, 14, 15};
    struct tensor_map m;
    memcpy(&m, map, sizeof m);
    // 128 bytes of zeros are a map too, of one dimension of bytes: what a kernel begins with that
    // makes one.
    static const struct tensor_map blank;
    if (!memcmp(&m, &blank, sizeof m)) {
        m.magic = TENSOR_MAP_MAGIC;
        m.rank = 1;
    }
    bool ok = true;
    switch (field) {
    case FIELD_GLOBAL_ADDRESS:
        m.address = value;
        ok = value % 16 == 0;
        break;
    case FIELD_RANK: // one less, as PTX has it
        m.rank = (uint8_t)(value + 1);
        ok = value < TENSOR_MAX_DIMS;
        break;
    case FIELD_ELEMTYPE:
        ok = value < sizeof types;
        m.type = ok ? types[value] : 0;
        break;
    case FIELD_INTERLEAVE:
        m.interleave = (uint8_t)value;
        ok = value < 3;
        break;
    case FIELD_SWIZZLE:
        m.swizzle = (uint8_t)value;
        ok = value <= TENSOR_SWIZZLE_96;
        break;
    case FIELD_FILL:
        m.fill_nan = (uint8_t)value;
        ok = value < 2;
        break;
    case FIELD_ATOM:
        m.atom = (uint8_t)value;
        ok = value <= TENSOR_ATOM_64;
        break;
    default:
        ok = replace_indexed(&m, field, index, value);
    }
    if (ok)
        memcpy(map, &m, sizeof m);
    return ok;
}
