// What virtual tables point to where a function is pure or deleted: calling it traps.
#include "libdevice.h"

void __cxa_pure_virtual(void);
void __cxa_deleted_virtual(void);

void __cxa_pure_virtual(void) {
    __builtin_trap();
}

void __cxa_deleted_virtual(void) {
    __builtin_trap();
}
