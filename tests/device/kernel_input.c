// A kernel as the compiler makes them: writes its block's index, and what variable 1 points to
// through a relocation, to the array that its only parameter points to.
#include "abi/generated_code.h"

void kd_entry(struct kd_block *b);
void kd_entry(struct kd_block *b) {
    uint64_t *out = *(uint64_t *const *)b->params;
    const uint64_t *pointer_var = (const uint64_t *)b->vars[1];
    out[b->block_index] = b->block_index * 1000 + *(const uint32_t *)*pointer_var;
}
