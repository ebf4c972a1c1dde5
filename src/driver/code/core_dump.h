// What becomes of a kernel's fault: attributes of core dumps, and the report that stands for one.
#ifndef KUDZU_DRIVER_CORE_DUMP_H
#define KUDZU_DRIVER_CORE_DUMP_H

#include <stdbool.h>

enum { DRV_CORE_DUMP_TEXT = 1024 }; // with the NUL
struct drv_core_dump {
    bool on_exception, trigger_host, lightweight, user_trigger;
    char file[DRV_CORE_DUMP_TEXT], pipe[DRV_CORE_DUMP_TEXT];
    unsigned flags;
};
void drv_core_dump_open(void); // for cuInit: defaults, and what the environment says
// What a new context begins with. flags: those of its creation.
void drv_core_dump_init(struct drv_core_dump *d, unsigned flags);

#endif
