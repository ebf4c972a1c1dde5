// The version of CUDA that KUDZU_CUDA_VERSION asks for: "13.0" is 13000, as in CUDA_VERSION.
#ifndef KUDZU_SUPPORT_CUDA_VERSION_H
#define KUDZU_SUPPORT_CUDA_VERSION_H

// Every function of the latest version exists; docs/api.md lists what answers that it is not
// supported. Before the oldest there is nothing that the runtime could load images through.
enum { CUDA_VERSION_OLDEST = 12000, CUDA_VERSION_LATEST = 13050 };

// 0: the variable is not set, or is no version from the oldest to the latest.
int cuda_version_asked(void);
// The variable's value if it is set and no such version, else NULL.
const char *cuda_version_unknown(void);

// What programs are compiled for: headers of 13.0 when a version from 13 on is asked for, else of
// 12.9.
int cuda_version_of_headers(void);

#endif
