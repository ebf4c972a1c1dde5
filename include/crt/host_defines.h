// A name that programs include for the specifiers: all of it comes with host_defines.h.
#ifndef KUDZU_CRT_HOST_DEFINES_H
#define KUDZU_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
