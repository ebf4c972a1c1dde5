// A name that programs include for the host compiler's settings: all of it comes with host_defines.h.
#ifndef KUDZU_CRT_HOST_CONFIG_H
#define KUDZU_CRT_HOST_CONFIG_H

#include "../host_defines.h"

#endif
