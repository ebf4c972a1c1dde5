// The version of libnvrtc.so.13.
#include "nvrtc/version.h"

const int nvrtc_major = 13, nvrtc_minor = 0;
