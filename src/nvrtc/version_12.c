// The version of libnvrtc.so.12.
#include "nvrtc/version.h"

const int nvrtc_major = 12, nvrtc_minor = 9;
