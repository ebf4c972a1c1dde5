// Every make_ function of the vector types (10.3; 13.x: 5.4.2.3), on host and device: members, sizes, alignments.
#include "check.h"

// Sums of the members, each with a weight of its own.
template <class V> __host__ __device__ double sum1(V v) {
    return v.x;
}
template <class V> __host__ __device__ double sum2(V v) {
    return v.x + 10.0 * v.y;
}
template <class V> __host__ __device__ double sum3(V v) {
    return v.x + 10.0 * v.y + 100.0 * v.z;
}
template <class V> __host__ __device__ double sum4(V v) {
    return v.x + 10.0 * v.y + 100.0 * v.z + 1000.0 * v.w;
}

__host__ __device__ void make_all(double *r) {
    r[0] = sum1(make_char1(9));
    r[1] = sum2(make_char2(9, 8));
    r[2] = sum3(make_char3(9, 8, 7));
    r[3] = sum4(make_char4(9, 8, 7, 6));
    r[4] = sum1(make_uchar1(9));
    r[5] = sum2(make_uchar2(9, 8));
    r[6] = sum3(make_uchar3(9, 8, 7));
    r[7] = sum4(make_uchar4(9, 8, 7, 6));
    r[8] = sum1(make_short1(9));
    r[9] = sum2(make_short2(9, 8));
    r[10] = sum3(make_short3(9, 8, 7));
    r[11] = sum4(make_short4(9, 8, 7, 6));
    r[12] = sum1(make_ushort1(9));
    r[13] = sum2(make_ushort2(9, 8));
    r[14] = sum3(make_ushort3(9, 8, 7));
    r[15] = sum4(make_ushort4(9, 8, 7, 6));
    r[16] = sum1(make_int1(9));
    r[17] = sum2(make_int2(9, 8));
    r[18] = sum3(make_int3(9, 8, 7));
    r[19] = sum4(make_int4(9, 8, 7, 6));
    r[20] = sum1(make_uint1(9));
    r[21] = sum2(make_uint2(9, 8));
    r[22] = sum3(make_uint3(9, 8, 7));
    r[23] = sum4(make_uint4(9, 8, 7, 6));
    r[24] = sum1(make_long1(9));
    r[25] = sum2(make_long2(9, 8));
    r[26] = sum3(make_long3(9, 8, 7));
    r[27] = sum4(make_long4(9, 8, 7, 6));
    r[28] = sum1(make_ulong1(9));
    r[29] = sum2(make_ulong2(9, 8));
    r[30] = sum3(make_ulong3(9, 8, 7));
    r[31] = sum4(make_ulong4(9, 8, 7, 6));
    r[32] = sum1(make_longlong1(9));
    r[33] = sum2(make_longlong2(9, 8));
    r[34] = sum3(make_longlong3(9, 8, 7));
    r[35] = sum4(make_longlong4(9, 8, 7, 6));
    r[36] = sum1(make_ulonglong1(9));
    r[37] = sum2(make_ulonglong2(9, 8));
    r[38] = sum3(make_ulonglong3(9, 8, 7));
    r[39] = sum4(make_ulonglong4(9, 8, 7, 6));
    r[40] = sum1(make_float1(9));
    r[41] = sum2(make_float2(9, 8));
    r[42] = sum3(make_float3(9, 8, 7));
    r[43] = sum4(make_float4(9, 8, 7, 6));
    r[44] = sum1(make_double1(9));
    r[45] = sum2(make_double2(9, 8));
    r[46] = sum3(make_double3(9, 8, 7));
    r[47] = sum4(make_double4(9, 8, 7, 6));
    r[48] = sum4(make_long4_16a(9, 8, 7, 6));
    r[49] = sum4(make_long4_32a(9, 8, 7, 6));
    r[50] = sum4(make_ulong4_16a(9, 8, 7, 6));
    r[51] = sum4(make_ulong4_32a(9, 8, 7, 6));
    r[52] = sum4(make_longlong4_16a(9, 8, 7, 6));
    r[53] = sum4(make_longlong4_32a(9, 8, 7, 6));
    r[54] = sum4(make_ulonglong4_16a(9, 8, 7, 6));
    r[55] = sum4(make_ulonglong4_32a(9, 8, 7, 6));
    r[56] = sum4(make_double4_16a(9, 8, 7, 6));
    r[57] = sum4(make_double4_32a(9, 8, 7, 6));
}

static_assert(sizeof(char1) == 1 && alignof(char1) == 1, "");
static_assert(sizeof(char2) == 2 && alignof(char2) == 2, "");
static_assert(sizeof(char3) == 3 && alignof(char3) == 1, "");
static_assert(sizeof(char4) == 4 && alignof(char4) == 4, "");
static_assert(sizeof(uchar1) == 1 && alignof(uchar1) == 1, "");
static_assert(sizeof(uchar2) == 2 && alignof(uchar2) == 2, "");
static_assert(sizeof(uchar3) == 3 && alignof(uchar3) == 1, "");
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "");
static_assert(sizeof(short1) == 2 && alignof(short1) == 2, "");
static_assert(sizeof(short2) == 4 && alignof(short2) == 4, "");
static_assert(sizeof(short3) == 6 && alignof(short3) == 2, "");
static_assert(sizeof(short4) == 8 && alignof(short4) == 8, "");
static_assert(sizeof(ushort1) == 2 && alignof(ushort1) == 2, "");
static_assert(sizeof(ushort2) == 4 && alignof(ushort2) == 4, "");
static_assert(sizeof(ushort3) == 6 && alignof(ushort3) == 2, "");
static_assert(sizeof(ushort4) == 8 && alignof(ushort4) == 8, "");
static_assert(sizeof(int1) == 4 && alignof(int1) == 4, "");
static_assert(sizeof(int2) == 8 && alignof(int2) == 8, "");
static_assert(sizeof(int3) == 12 && alignof(int3) == 4, "");
static_assert(sizeof(int4) == 16 && alignof(int4) == 16, "");
static_assert(sizeof(uint1) == 4 && alignof(uint1) == 4, "");
static_assert(sizeof(uint2) == 8 && alignof(uint2) == 8, "");
static_assert(sizeof(uint3) == 12 && alignof(uint3) == 4, "");
static_assert(sizeof(uint4) == 16 && alignof(uint4) == 16, "");
static_assert(sizeof(long1) == 8 && alignof(long1) == 8, "");
static_assert(sizeof(long2) == 16 && alignof(long2) == 16, "");
static_assert(sizeof(long3) == 24 && alignof(long3) == 8, "");
static_assert(sizeof(long4) == 32 && alignof(long4) == 16, "");
static_assert(sizeof(ulong1) == 8 && alignof(ulong1) == 8, "");
static_assert(sizeof(ulong2) == 16 && alignof(ulong2) == 16, "");
static_assert(sizeof(ulong3) == 24 && alignof(ulong3) == 8, "");
static_assert(sizeof(ulong4) == 32 && alignof(ulong4) == 16, "");
static_assert(sizeof(longlong1) == 8 && alignof(longlong1) == 8, "");
static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16, "");
static_assert(sizeof(longlong3) == 24 && alignof(longlong3) == 8, "");
static_assert(sizeof(longlong4) == 32 && alignof(longlong4) == 16, "");
static_assert(sizeof(ulonglong1) == 8 && alignof(ulonglong1) == 8, "");
static_assert(sizeof(ulonglong2) == 16 && alignof(ulonglong2) == 16, "");
static_assert(sizeof(ulonglong3) == 24 && alignof(ulonglong3) == 8, "");
static_assert(sizeof(ulonglong4) == 32 && alignof(ulonglong4) == 16, "");
static_assert(sizeof(float1) == 4 && alignof(float1) == 4, "");
static_assert(sizeof(float2) == 8 && alignof(float2) == 8, "");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "");
static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(sizeof(double1) == 8 && alignof(double1) == 8, "");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "");
static_assert(sizeof(double3) == 24 && alignof(double3) == 8, "");
static_assert(sizeof(double4) == 32 && alignof(double4) == 16, "");
static_assert(sizeof(long4_16a) == 32 && alignof(long4_16a) == 16, "");
static_assert(sizeof(long4_32a) == 32 && alignof(long4_32a) == 32, "");
static_assert(sizeof(ulong4_16a) == 32 && alignof(ulong4_16a) == 16, "");
static_assert(sizeof(ulong4_32a) == 32 && alignof(ulong4_32a) == 32, "");
static_assert(sizeof(longlong4_16a) == 32 && alignof(longlong4_16a) == 16, "");
static_assert(sizeof(longlong4_32a) == 32 && alignof(longlong4_32a) == 32, "");
static_assert(sizeof(ulonglong4_16a) == 32 && alignof(ulonglong4_16a) == 16, "");
static_assert(sizeof(ulonglong4_32a) == 32 && alignof(ulonglong4_32a) == 32, "");
static_assert(sizeof(double4_16a) == 32 && alignof(double4_16a) == 16, "");
static_assert(sizeof(double4_32a) == 32 && alignof(double4_32a) == 32, "");

__global__ void on_device(double *r) {
    make_all(r);
    dim3 grid(2, 3), one;
    uint3 u = grid;
    r[58] = u.x + 10 * u.y + 100 * u.z + 1000 * one.y;
}

int main() {
    static const double expected[] = {9, 89, 789, 6789};
    double *device = shared_array<double>(59), host[58];
    on_device<<<1, 1>>>(device);
    CUDA(cudaDeviceSynchronize());
    make_all(host);
    for (int i = 0; i < 58; i++) {
        double sum = expected[i < 48 ? i % 4 : 3];
        CHECK(device[i] == sum && host[i] == sum);
    }
    CHECK(device[58] == 1132);
    return failures != 0;
}
