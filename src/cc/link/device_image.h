// Containers: what device passes gave, as one image that is embedded or written to a file.
#ifndef KUDZU_CC_DEVICE_IMAGE_H
#define KUDZU_CC_DEVICE_IMAGE_H

#include "cc/options/architectures.h"
#include "cc/options/options.h"
#include "cc/processes/cc.h"
#include "cc/processes/file_io.h"

// The device code of one source (or link) for one architecture.
struct device_code {
    struct architecture arch;
    const char *path; // PTX text, or bitcode with -rdc
};
typedef VEC(struct device_code) device_codes;

// Bitcode entries of a relocatable object's container (only kudzu reads them).
enum { DEVICE_IMAGE_BITCODE = 0x6B62 };

// The last line of PTX that stands for machine code: this and names, " sm_75 sm_86".
#define DEVICE_IMAGE_STANDS_FOR "// kudzu: in place of machine code for"

// Reads the files and builds the container. With native levels, PTX for the CPU device is compiled
// to native code, too, and with ptxas to code for the real architectures. PTX that calls the device
// runtime brings the user's libcudadevrt.a along. *out is malloc'ed.
bool device_image_build(struct arena *arena, const struct cc_options *o, const device_codes *codes,
                        bool bitcode, const char *name, void **out, size_t *out_size);

#endif
