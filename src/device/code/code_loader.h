// Loads relocatable ELF objects (what kj_compile makes) into memory. Hostile input is refused,
// never trusted: every offset, size and symbol is checked.
#ifndef KUDZU_DEVICE_CODE_LOADER_H
#define KUDZU_DEVICE_CODE_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_code; // its mapping

// Loads an object and finds its symbol kd_entry. False with a reason in err. Pages are writable
// or executable, never both.
bool code_load(const void *obj, size_t size, struct loaded_code **out, void **entry, char *err,
               size_t err_size);
void code_unload(struct loaded_code *c); // NULL is ignored
// The code can no longer be executed: a thread that tries gets SIGSEGV at that address.
void code_stop(struct loaded_code *c); // NULL is ignored

// One relocation, as the machine-specific part sees it.
struct reloc_site {
    uint8_t *place;  // writable bytes
    uint64_t room;   // of them, up to the section's end
    uint64_t pc;     // address of `place` when the code runs
    uint64_t symbol; // S
    int64_t addend;  // A
    uint64_t got;    // address of a word that holds S; 0: none
    uint64_t stub;   // address of code that jumps to S; 0: none
};
enum reloc_needs { RELOC_NOTHING = 0, RELOC_GOT = 1, RELOC_STUB = 2, RELOC_UNKNOWN = 4 };
// What a relocation of this type has to have prepared; is S outside of the object?
unsigned reloc_needs_x86_64(uint32_t type, bool external);
unsigned reloc_needs_aarch64(uint32_t type, bool external);
// NULL, or what is wrong.
const char *reloc_apply_x86_64(uint32_t type, const struct reloc_site *s);
const char *reloc_apply_aarch64(uint32_t type, const struct reloc_site *s);
enum { STUB_BYTES = 16 };
void stub_write_x86_64(uint8_t *p, uint64_t pc, uint64_t got);
void stub_write_aarch64(uint8_t *p, uint64_t pc, uint64_t got);

// Functions of the C library and the compiler's own that code may call; NULL: not one of them.
void *library_symbol(const char *name);

#endif
