// What operations know of queues: lists that do not grow with queues that are gone, and knowledge
// that comes as operations run.
#include "device/check/order/check_acquired.h"
#include "device/expect.h"

enum { QUEUES = 5000 };

static struct check_known *of(uint64_t queue, uint32_t at) {
    struct check_known *k = check_known_none();
    check_known_learn_place(&k, queue, at);
    return k;
}

static void learn(struct check_known **k, struct check_known *other) {
    EXPECT(check_known_learn(k, other));
    check_known_drop(other);
}

// As the host learns of queues that end, and a list of a queue that stays learns of the host.
static void retired_queues_stand_in_one_place(void) {
    struct check_known *host = check_known_none(), *stays = check_known_none();
    struct check_known *early = check_known_none();
    learn(&early, of(1, 3));
    for (uint64_t q = 1; q <= QUEUES; q++) {
        learn(&host, of(q, 3));
        learn(&stays, of(q, 2));
        EXPECT(!check_known_has(stays, q, 3, 0));
        check_known_learn_place(&host, CHECK_KNOWN_RETIRED, check_known_retire(q));
        learn(&stays, check_known_hold(host));
        EXPECT(host->n <= 1 && stays->n <= 1);
        EXPECT(check_known_has(stays, q, 3, 0) && check_known_has(host, 1, 3, 0));
    }
    EXPECT(check_known_has_all(stays, early) && !check_known_has_all(early, stays));
    // What is not retired, or was so later, is not known by that.
    EXPECT(!check_known_has(host, QUEUES + 1, 1, 0));
    struct check_known *before = check_known_hold(host);
    check_known_retire(QUEUES + 1);
    EXPECT(!check_known_has(before, QUEUES + 1, 1, 0) && !check_known_has(early, 2, 1, 0));
    EXPECT(check_known_has(early, 1, 3, 0) && !check_known_has(early, 1, 4, 0));
    check_known_drop(before);
    check_known_drop(host);
    check_known_drop(stays);
    check_known_drop(early);
}

static void numbers_stand_for_operations(void) {
    struct check_known *k = of(QUEUES + 10, 5);
    check_known_learn_place(&k, CHECK_KNOWN_NUMBERS, 100);
    EXPECT(check_known_has(k, QUEUES + 11, 1, 100) && !check_known_has(k, QUEUES + 11, 1, 101));
    EXPECT(!check_known_has(k, QUEUES + 11, 1, 0) && check_known_has(k, QUEUES + 10, 5, 101));
    check_known_drop(k);
}

// Place 7 of queue a has come to know b, and b at that place knew c.
static void what_is_acquired_is_handed_on(void) {
    enum { A = QUEUES + 20, B, C, D };
    struct check_known *b = of(B, 4), *c = of(C, 9);
    EXPECT(check_acquired_add(B, 4, c));
    EXPECT(check_acquired_close(&b));
    EXPECT(check_acquired_add(A, 7, b));
    struct check_known *none = check_known_none(), *at_a = of(A, 7), *before = of(A, 6);
    EXPECT(check_acquired_has(none, A, 7, B, 4, 0) && check_acquired_has(none, A, 8, C, 9, 0));
    EXPECT(!check_acquired_has(none, A, 6, B, 4, 0) && !check_acquired_has(none, A, 7, B, 5, 0));
    EXPECT(check_acquired_has(at_a, D, 1, C, 9, 0) && !check_acquired_has(before, D, 1, C, 9, 0));
    // One that comes late, at an earlier place.
    struct check_known *d = of(D, 2);
    EXPECT(check_acquired_add(A, 3, d));
    EXPECT(check_acquired_has(none, A, 3, D, 2, 0) && check_acquired_has(none, A, 7, D, 2, 0));
    EXPECT(!check_acquired_has(none, A, 3, B, 4, 0) && !check_acquired_has(none, A, 2, D, 2, 0));
    // Of too many the first ones become one, which may know too much but not too little.
    for (uint32_t k = 10; k < 300; k++) {
        struct check_known *one = of(QUEUES + 100 + k, 1);
        EXPECT(check_acquired_add(A, k, one));
        check_known_drop(one);
    }
    for (uint32_t k = 10; k < 300; k++)
        EXPECT(check_acquired_has(none, A, k, QUEUES + 100 + k, 1, 0));
    EXPECT(!check_acquired_has(none, A, 298, QUEUES + 100 + 299, 1, 0));
    struct check_known *all[] = {none, at_a, before, b, c, d};
    for (int k = 0; k < 6; k++)
        check_known_drop(all[k]);
}

int main(void) {
    retired_queues_stand_in_one_place();
    numbers_stand_for_operations();
    what_is_acquired_is_handed_on();
    return expect_done();
}
