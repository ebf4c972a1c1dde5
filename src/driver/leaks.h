// What is never freed, for `kudzu check --leak-check full`.
#ifndef KUDZU_DRIVER_LEAKS_H
#define KUDZU_DRIVER_LEAKS_H

#include "driver/driver.h"

// The program has got memory that begins at ptr, or an object with a handle. Objects that calls
// make for themselves are passed over.
void drv_leaks_memory(uint64_t ptr);
void drv_leaks_object(const struct drv_object *o, enum drv_kind kind);
// Tells what is still there of a context that ends; NULL: of all, as the process ends.
void drv_leaks_tell(const struct drv_context *ctx);

#endif
