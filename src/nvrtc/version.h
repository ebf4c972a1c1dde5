// The version of the library, of which there are two: version_12.c, version_13.c.
#ifndef KUDZU_NVRTC_VERSION_H
#define KUDZU_NVRTC_VERSION_H

extern const int nvrtc_major, nvrtc_minor;

// The same as one number: 12090.
static inline int nvrtc_cuda_version(void) {
    return nvrtc_major * 1000 + nvrtc_minor * 10;
}

#endif
