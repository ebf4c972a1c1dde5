// Layout of a native image, shared by its writer and its reader.
//
// Header, 56 bytes: magic (8), format (4), ABI version (4), plain bytes (8), compressed bytes
// (8), XXH3 of the compressed bytes (8), XXH3 of the plain bytes (8), reserved, zero (8). Then
// the compressed bytes. Plain: numbers are little-endian; a string or blob is its length (8)
// and its bytes.
#ifndef KUDZU_IMAGE_NATIVE_FORMAT_H
#define KUDZU_IMAGE_NATIVE_FORMAT_H

#include <stdint.h>

#define NATIVE_MAGIC "KUDZUIMG"
enum { NATIVE_FORMAT = 5, NATIVE_HEADER_BYTES = 56 };
// More than any module has; stops a damaged header from asking for all memory.
#define NATIVE_MAX_PLAIN ((uint64_t)4 << 30)
#define NATIVE_NO_INIT UINT64_MAX // length of a variable's initialiser that is zero

struct native_header {
    char magic[8];
    uint32_t format, abi;
    uint64_t plain, compressed, compressed_hash, plain_hash, reserved;
};
_Static_assert(sizeof(struct native_header) == NATIVE_HEADER_BYTES, "header has no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

#endif
