#include "device/check/host/own_code.h"

#include <link.h>
#include <stddef.h>

static uint64_t begin, end;

static int look(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size, (void)arg;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        uint64_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
            (uint64_t)(uintptr_t)&look - at < p->p_memsz) {
            begin = at;
            end = at + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

bool own_code_find(void) {
    return dl_iterate_phdr(look, NULL);
}

bool own_code_has(uint64_t pc) {
    return pc - begin < end - begin;
}
