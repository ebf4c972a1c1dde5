// Runs cases on the device and hands over their results.
#ifndef KUDZU_TESTS_HARDWARE_RUNNER_H
#define KUDZU_TESTS_HARDWARE_RUNNER_H

#include "cases.h"

// Called for each case, from several threads at once. `results` is NULL when the driver refuses the
// instruction (log says why), else result k of set i at [k * sets + i].
typedef void hw_on_result(void *user, unsigned number, const struct hw_case *c,
                          const union isa_bits *results, unsigned sets, const char *log);

// sm: the target, the capability of the device.
void hw_run(const struct hw_cases *cases, unsigned sm, unsigned threads, hw_on_result *on_result,
            void *user);

#endif
