// The device library's functions as the host compiled them, for device_math.cu.
#include "libdevice.h"
#include "math_list.h"

#define D(name) __nv_##name,
#define F(name) __nv_##name##f,
extern double (*const host_double[])(double);
extern float (*const host_float[])(float);
extern double (*const host_double_2[])(double, double);
extern float (*const host_float_2[])(float, float);
__attribute__((visibility("default"))) double (*const host_double[])(double) = {MATH_LIST(D)};
__attribute__((visibility("default"))) float (*const host_float[])(float) = {MATH_LIST(F)};
__attribute__((visibility("default"))) double (*const host_double_2[])(double,
                                                                       double) = {MATH_LIST_2(D)};
__attribute__((visibility("default"))) float (*const host_float_2[])(float,
                                                                     float) = {MATH_LIST_2(F)};
