// Loads and stores with cache hints for every type; address space queries and conversions.
// CHECK: ld.global.nc.f32
// CHECK: ld.global.nc.v4.f32
// CHECK: ld.global.cg.s32
// CHECK: ld.global.ca.v2.f64
// CHECK: ld.global.cs.u8
// CHECK: ld.global.lu.s64
// CHECK: ld.global.cv.u16
// CHECK: st.global.wb.f32
// CHECK: st.global.cg.v4.s32
// CHECK: st.global.cs.u64
// CHECK: st.global.wt.s16
// CHECK: isspacep.shared
template <typename T> __device__ void every(T *p) {
    p[1] = __ldg(p);
    p[2] = __ldca(p + 3);
    p[4] = __ldcg(p + 5);
    p[6] = __ldcs(p + 7);
    p[8] = __ldlu(p + 9);
    p[10] = __ldcv(p + 11);
    __stwb(p + 12, p[0]);
    __stcg(p + 13, p[0]);
    __stcs(p + 14, p[0]);
    __stwt(p + 15, p[0]);
}
template <typename... T> __device__ void all(void *p) {
    (every((T *)p), ...);
}
__global__ void loads(void *p) {
    all<char, signed char, short, int, long, long long, unsigned char, unsigned short, unsigned,
        unsigned long, unsigned long long, float, double, char2, char4, short2, short4, int2, int4,
        longlong2, uchar2, uchar4, ushort2, ushort4, uint2, uint4, ulonglong2, float2, float4,
        double2>(p);
}
__global__ void spaces(size_t *out, void *p, void **q) {
    __shared__ int s[32];
    int local[4];
    out[0] = __isGlobal(*q) + __isShared(*q) + __isConstant(*q) + __isLocal(*q);
    out[1] = __cvta_generic_to_shared(&s[threadIdx.x]) + __cvta_generic_to_global(p) +
             __cvta_generic_to_local(local) + __cvta_generic_to_constant(p);
    *(int *)__cvta_shared_to_generic(out[2]) = 1;
    *(int *)__cvta_global_to_generic(out[3]) = 1;
}
