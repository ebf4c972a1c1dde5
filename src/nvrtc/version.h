// The version of the library, of which there are two: version_12.c, version_13.c.
#ifndef KUDZU_NVRTC_VERSION_H
#define KUDZU_NVRTC_VERSION_H

extern const int nvrtc_major, nvrtc_minor;

#endif
