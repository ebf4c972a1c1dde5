// Up to which places of queues all is over, as an operation or the host knows it: sorted lists,
// shared until they change. Not all functions say that a lock is needed: lists never change.
#ifndef KUDZU_DEVICE_CHECK_KNOWN_H
#define KUDZU_DEVICE_CHECK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

struct check_known {
    uint32_t refs, n;
    struct check_known_place {
        uint64_t queue;
        uint32_t at;
    } places[]; // ascending by queue
};
// In the place of queues: all operations up to a number are known, and all queues that were retired
// up to a time.
#define CHECK_KNOWN_NUMBERS (UINT64_MAX - 1)
#define CHECK_KNOWN_RETIRED UINT64_MAX

struct check_known *check_known_none(void); // an empty list, held
struct check_known *check_known_hold(struct check_known *k);
void check_known_drop(struct check_known *k); // NULL: nothing
// Is a place known, whose operation has the number (0: nobody asks for it)?
bool check_known_has(const struct check_known *k, uint64_t queue, uint32_t at, uint32_t number);
bool check_known_has_all(const struct check_known *k, const struct check_known *of);
// *k is to know more. False: there is no memory.
bool check_known_learn(struct check_known **k, struct check_known *other);
bool check_known_learn_place(struct check_known **k, uint64_t queue, uint32_t at);

// The queue has ended, and the host knows all of it: lists that know as much as the host does need
// not name it any more. Returns the time of it. With a lock of the caller's.
uint32_t check_known_retire(uint64_t queue);
bool check_known_is_retired(uint64_t queue);

#endif
