// A recording: what hardware computed for each case. The file is a text head (lines up to an empty
// one: the GPU, its driver), then the cases, all of it compressed with zstd.
#ifndef KUDZU_TESTS_HARDWARE_RECORDING_H
#define KUDZU_TESTS_HARDWARE_RECORDING_H

#include "cases.h"

// One case's results. The first `edges` sets' are kept in full; of the others a hash of all, and
// 16 bits of the hash of each block, to find where a difference lies.
struct hw_record {
    char text[HW_TEXT];
    bool refused;      // the driver does not take the instruction
    uint32_t operands; // digest of the operand sets
    uint32_t edges, random, block;
    uint32_t nresults;
    uint8_t types[HW_MAX_RESULTS]; // enum isa_type
    union isa_bits *results;       // [k * edges + i]
    uint64_t hash;
    uint16_t *blocks;
};

struct hw_recording {
    char *head;
    struct hw_record *records; // sorted by text
    unsigned count;
};

// The record of a case, from what the device computed for all of its sets; NULL: refused.
struct hw_record hw_record_of(const struct hw_case *c, const union isa_bits *results);
void hw_record_free(struct hw_record *r);

// false with a message on stderr.
bool hw_recording_write(const char *path, const struct hw_recording *r);
bool hw_recording_read(const char *path, struct hw_recording *r);
const struct hw_record *hw_recording_find(const struct hw_recording *r, const char *text);
void hw_recording_free(struct hw_recording *r);

#endif
