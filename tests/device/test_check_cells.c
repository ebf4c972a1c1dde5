// What `kudzu check` keeps of accesses: stamps that are shared and used again, cells, and when they
// are given back.
#include "device/check/check_cells.h"
#include "device/expect.h"

static uint64_t there[3 * 1024];
static const uint64_t at = 1 << 20;

static struct check_stamp stamp(uint32_t block, uint32_t epoch) {
    static const struct kd_check_site site;
    return (struct check_stamp){.site = &site, .grid = 1, .block = block, .epoch = epoch};
}

static void test_stamps(void) {
    struct check_stamps *s = NULL;
    EXPECT(check_stamps_enter(&s, 0));
    struct check_stamp a = stamp(1, 0), b = stamp(2, 0);
    EXPECT(!check_stamp_find(s, &a));
    uint32_t n = check_stamp_make(s, &a);
    EXPECT(n && check_stamp_find(s, &a) == n && check_stamp_make(s, &a) == n);
    EXPECT(check_stamp_of(n)->block == 1);
    check_stamp_hold(s, n, 2); // of two cells
    uint32_t m = check_stamp_make(s, &b);
    EXPECT(m != n && check_stamp_of(n)->block == 1);
    check_stamp_drop(s, n, 1);
    EXPECT(check_stamp_of(n)->block == 1);
    check_stamp_drop(s, n, 1); // nobody names it any more
    struct check_stamp c = stamp(3, 0);
    EXPECT(check_stamp_make(s, &c) == n && check_stamp_of(n)->block == 3);
    for (uint32_t k = 0; k < 1 << 20; k++) {
        struct check_stamp next = stamp(4, k);
        EXPECT(check_stamp_make(s, &next) < 2048);
    }
    check_stamps_leave(0);
}

static void test_cells(void) {
    struct check_stamps *s = NULL;
    uint64_t address = (uint64_t)(uintptr_t)there;
    EXPECT(check_stamps_enter(&s, 1));
    struct check_cells *c = check_cells_of(address);
    EXPECT(c && check_cells_of(address) == c && check_cells_of(address + 8192) != c);
    uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS;
    c->weak[k] = c->weak[k + 1] = c->readers[1][k] = 1;
    check_cells_forget(address, 4);
    EXPECT(!c->weak[k] && c->weak[k + 1] == 1 && !c->readers[1][k]);
    check_stamps_leave(1);
}

static void test_given_back(void) {
    struct check_stamps *s = NULL;
    EXPECT(check_stamps_enter(&s, 2) && check_stamps_enter(&s, 3));
    struct check_stamp a = stamp(1, 0);
    uint32_t n = check_stamp_make(s, &a);
    for (uint64_t k = 0; k < 8192; k++)
        check_cells_of(at + (k << CHECK_PAGE_BITS))->weak[0] = n << CHECK_LANE_BITS;
    check_stamps_leave(2); // the other one still runs
    EXPECT(check_cells_of(at)->weak[0] && check_stamp_of(n)->block == 1);
    check_stamps_leave(3);
    EXPECT(check_stamps_enter(&s, 4) && !check_stamp_find(s, &a));
    EXPECT(!check_cells_of(at)->weak[0]);
    check_stamps_leave(4);
}

int main(void) {
    test_stamps();
    test_cells();
    test_given_back();
    return expect_done();
}
