// Arrays of a launch in which its threads cannot race: none of the arrays that the kernel writes to
// is in the same allocation, or each thread has elements of its own there (passes/check). Where
// other streams or the host may access them meanwhile, all are followed.
#include <string.h>

#include "device/check/check.h"
#include "device/check/check_streams.h"
#include "device/exec/block.h"

static const uint64_t LOOKED = UINT64_C(1) << 63;       // in check_apart
static const uint64_t MOST_THREADS = UINT64_C(1) << 30; // whose numbers times a stride are known

static uint64_t address_of(const struct kd_block *b, const struct kd_check_array *a) {
    uint64_t address;
    if (a->flags & KD_CHECK_OF_VARIABLE)
        return (uint64_t)(uintptr_t)b->vars[a->at];
    memcpy(&address, b->params + a->at, sizeof address);
    return address;
}

static bool is_line(const struct kd_block *b) {
    return b->ntid[1] == 1 && b->ntid[2] == 1 && b->nctaid[1] == 1 && b->nctaid[2] == 1 &&
           (uint64_t)b->ntid[0] * b->nctaid[0] <= MOST_THREADS;
}

// The bits of check_apart.
static uint64_t find(const struct kd_block *b, const struct kd_check_array *list) {
    uint32_t number[256], n = list->count;
    uint64_t apart = 0;
    if (check_streams_follow())
        return 0;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t address = address_of(b, &list[k]);
        number[k] = check_find(b, address);
        if (!number[k] && address && list[k].flags & KD_CHECK_ARRAY_WRITTEN)
            return 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        bool written = false, alone = true;
        for (uint32_t other = 0; other < n; other++) {
            if (number[other] != number[k])
                continue;
            written |= list[other].flags & KD_CHECK_ARRAY_WRITTEN;
            alone &= other == k || !(list[other].flags & KD_CHECK_ARRAY_USED);
        }
        bool own = alone && list[k].flags & KD_CHECK_ARRAY_OWN && is_line(b);
        apart |= (uint64_t)(number[k] && (!written || own)) << k;
    }
    return apart;
}

bool check_is_apart(struct kd_block *b, const struct kd_check_site *site) {
    if (!site->array)
        return false;
    const struct kd_check_array *a = (const void *)((const uint8_t *)site + site->array);
    if (!(b->check_apart & LOOKED))
        b->check_apart = find(b, a - a->index) | LOOKED;
    return b->check_apart >> a->index & 1;
}
