// Files in memory, which several processes can map.
#ifndef KUDZU_DEVICE_MEMORY_FILE_H
#define KUDZU_DEVICE_MEMORY_FILE_H

#include <stdbool.h>
#include <stdint.h>

// A file of `size` bytes that nobody can make smaller: mappings of it cannot lose their memory.
// -1: errno tells why.
int memory_file_new(const char *name, uint64_t size);
// Whether fd is such a file, and of how many bytes. False: anything else.
bool memory_file_check(int fd, uint64_t *size);
// Another descriptor of the file; -1: errno tells why.
int memory_file_duplicate(int fd);
uint64_t memory_file_inode(int fd); // 0: not known

#endif
