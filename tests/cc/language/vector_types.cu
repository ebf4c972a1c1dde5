// Vector types: members, construction, alignment, vector loads and stores.
// CHECK: ld.global.v4.f32
// CHECK: st.global.v4.f32
// CHECK: ld.global.v2.f64
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "");
static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "");
static_assert(sizeof(char3) == 3 && sizeof(uchar4) == 4 && alignof(uchar4) == 4, "");
static_assert(alignof(longlong2) == 16 && alignof(short4) == 8 && alignof(int2) == 8, "");
struct __align__(16) pair {
    double a, b;
};
static_assert(alignof(pair) == 16, "");
__global__ void vectors(float4 *a, const float4 *b, double2 *d, uchar4 *c) {
    float4 v = b[threadIdx.x];
    v.x += 1.0f;
    a[threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    double2 w = d[threadIdx.x];
    d[threadIdx.x + 32] = make_double2(w.y, w.x);
    c[0] = make_uchar4(1, 2, 3, 4);
    int3 n = {1, 2, 3};
    uint3 m = make_uint3(n.x, n.y, n.z);
    dim3 e(3), f(1, 2), g = m;
    c[1].x = e.z + f.y + g.z;
}
void host() {
    float4 h = make_float4(1, 2, 3, 4);
    dim3 grid(8, 8), block = 256;
    vectors<<<grid, block>>>(&h, &h, nullptr, nullptr);
    vectors<<<1, dim3{16, 16}>>>(&h, &h, nullptr, nullptr);
}
