// Files in memory, which several processes can map.
#ifndef KUDZU_DEVICE_MEMORY_FILE_H
#define KUDZU_DEVICE_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a file holds. The name that the system shows has the kind, a number of the file's own and,
// where it is a device's, which one's.
enum memory_file_kind {
    MEMORY_FILE_PHYSICAL, // an allocation of kd_physical_new
    MEMORY_FILE_POOL,
    MEMORY_FILE_SHARED, // memory that was exported by kd_ipc_export
    MEMORY_FILE_WORDS,  // kd_ipc_words_new
    MEMORY_FILE_MULTICAST,
    MEMORY_FILE_ANY, // memory_file_check: also one that another program made
};

// A file of `size` bytes that nobody can make smaller: mappings of it cannot lose their memory. It
// is a device's, or with -1 nobody's. -1: errno tells why.
int memory_file_new(enum memory_file_kind kind, int device, uint64_t size);
int memory_file_device(int fd); // whose it is; -1: nobody's
// Whether fd is such a file of this kind, and of how many bytes. False: anything else.
bool memory_file_check(int fd, enum memory_file_kind kind, uint64_t *size);
// A number that depends on the data and on the file: who changes data that go with a file, by
// accident or to reach other memory of it, does not know the number that belongs to them.
uint64_t memory_file_sign(int fd, const void *data, size_t size);
// Another descriptor of the file; -1: errno tells why.
int memory_file_duplicate(int fd);
uint64_t memory_file_inode(int fd); // 0: not known

#endif
