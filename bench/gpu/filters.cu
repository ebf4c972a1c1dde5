// Filters over images of four bytes a pixel; neighbours beyond the border are those at the border.
#include "gpu.h"

__constant__ float gauss5[25];
__constant__ int sharpen3[9];

__device__ int clamped(int v, int most) {
    return min(max(v, 0), most);
}

__device__ unsigned char to_byte(float v) {
    return (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f);
}

__device__ unsigned char to_byte(int v) {
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

__global__ void box_integers(const uchar4 *in, uchar4 *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int r = 0, g = 0, b = 0, a = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            uchar4 p = in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
            r += p.x;
            g += p.y;
            b += p.z;
            a += p.w;
        }
    out[y * w + x] = make_uchar4(r / 25, g / 25, b / 25, a / 25);
}

__global__ void box_radius(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h,
                           int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned r = 0, g = 0, b = 0, count = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int ix = x + dx, iy = y + dy;
            if (ix < 0 || iy < 0 || ix >= w || iy >= h)
                continue;
            uchar4 p = in[iy * w + ix];
            r += p.x;
            g += p.y;
            b += p.z;
            count++;
        }
    out[y * w + x] = make_uchar4(r / count, g / count, b / count, 255);
}

__global__ void gaussian(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int dy = -2; dy <= 2; dy++)
#pragma unroll
        for (int dx = -2; dx <= 2; dx++) {
            uchar4 p = in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
            float f = gauss5[(dy + 2) * 5 + dx + 2];
            sum.x += f * p.x;
            sum.y += f * p.y;
            sum.z += f * p.z;
            sum.w += f * p.w;
        }
    out[y * w + x] =
        make_uchar4(to_byte(sum.x + 0.5f), to_byte(sum.y + 0.5f), to_byte(sum.z + 0.5f), 255);
}

__global__ void sharpen(const uchar4 *in, uchar4 *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int r = 0, g = 0, b = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int ix = min(max(x + dx, 0), w - 1), iy = min(max(y + dy, 0), h - 1);
            uchar4 p = in[iy * w + ix];
            int f = sharpen3[(dy + 1) * 3 + dx + 1];
            r += f * p.x, g += f * p.y, b += f * p.z;
        }
    out[y * w + x] = make_uchar4(to_byte(r), to_byte(g), to_byte(b), in[y * w + x].w);
}

__device__ float luminance(uchar4 p) {
    return 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
}

__global__ void sobel(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float l[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            l[i][j] = luminance(in[clamped(y + i - 1, h - 1) * w + clamped(x + j - 1, w - 1)]);
    float gx = l[0][2] + 2 * l[1][2] + l[2][2] - l[0][0] - 2 * l[1][0] - l[2][0];
    float gy = l[2][0] + 2 * l[2][1] + l[2][2] - l[0][0] - 2 * l[0][1] - l[0][2];
    unsigned char m = to_byte(sqrtf(gx * gx + gy * gy));
    out[y * w + x] = make_uchar4(m, m, m, 255);
}

__global__ void bilateral(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h,
                          int radius, float space, float range) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 c = in[y * w + x];
    float r = 0, g = 0, b = 0, total = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            uchar4 p = in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
            float dr = (float)p.x - c.x, dg = (float)p.y - c.y, db = (float)p.z - c.z;
            float f = __expf(-(dx * dx + dy * dy) * space - (dr * dr + dg * dg + db * db) * range);
            r += f * p.x, g += f * p.y, b += f * p.z;
            total += f;
        }
    out[y * w + x] = make_uchar4(to_byte(r / total), to_byte(g / total), to_byte(b / total), c.w);
}

__device__ void order(unsigned char &a, unsigned char &b) {
    unsigned char least = min(a, b);
    b = max(a, b);
    a = least;
}

__device__ unsigned char middle(unsigned char v[9]) {
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++)
            order(v[i], v[j]);
    return v[4];
}

__global__ void median(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    unsigned char r[9], g[9], b[9];
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uchar4 p = in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
            r[n] = p.x, g[n] = p.y, b[n] = p.z;
            n++;
        }
    out[y * w + x] = make_uchar4(middle(r), middle(g), middle(b), 255);
}

// Rows of a separable filter through shared memory.
template <int Radius>
__global__ void rows_shared(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w) {
    __shared__ uchar4 s[256 + 2 * Radius];
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 256 + 2 * Radius; i += 256)
        s[i] = in[y * w + clamped((int)(blockIdx.x * 256) + i - Radius, w - 1)];
    __syncthreads();
    if (x >= w)
        return;
    float r = 0, g = 0, b = 0, a = 0;
#pragma unroll
    for (int i = -Radius; i <= Radius; i++) {
        uchar4 p = s[threadIdx.x + Radius + i];
        float f = gauss5[i + Radius];
        r += p.x * f, g += p.y * f, b += p.z * f, a += p.w * f;
    }
    out[y * w + x] = make_uchar4(r, g, b, a);
}

// Weights counted where they are used; a pixel as an array of its bytes.
__global__ void weights_computed(const uchar4 *in, uchar4 *out, int w, int h, float sigma) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum[4] = {0.0f}, total = 0.0f;
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -3; dx <= 3; ++dx) {
            int sx = max(0, min(w - 1, x + dx)), sy = max(0, min(h - 1, y + dy));
            const uchar4 p = in[sy * w + sx];
            float f = expf(-(float)(dx * dx + dy * dy) / (2.0f * sigma * sigma));
            sum[0] += f * p.x;
            sum[1] += f * p.y;
            sum[2] += f * p.z;
            sum[3] += f * p.w;
            total += f;
        }
    uchar4 q;
    q.x = (unsigned char)(sum[0] / total + 0.5f);
    q.y = (unsigned char)(sum[1] / total + 0.5f);
    q.z = (unsigned char)(sum[2] / total + 0.5f);
    q.w = (unsigned char)(sum[3] / total + 0.5f);
    out[y * w + x] = q;
}

// Point operations.
__global__ void grey_and_contrast(const uchar4 *in, uchar4 *out, int n, float contrast,
                                  float brightness) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = in[i];
    float grey = 0.2126f * p.x + 0.7152f * p.y + 0.0722f * p.z;
    float r = (p.x + 0.5f * (grey - p.x) - 128.0f) * contrast + 128.0f + brightness;
    float g = (p.y + 0.5f * (grey - p.y) - 128.0f) * contrast + 128.0f + brightness;
    float b = (p.z + 0.5f * (grey - p.z) - 128.0f) * contrast + 128.0f + brightness;
    out[i] = make_uchar4(to_byte(r), to_byte(g), to_byte(b), p.w);
}

__global__ void blend(const uchar4 *over, uchar4 *under, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 a = over[i], b = under[i];
    int alpha = a.w;
    b.x = (a.x * alpha + b.x * (255 - alpha)) / 255;
    b.y = (a.y * alpha + b.y * (255 - alpha)) / 255;
    b.z = (a.z * alpha + b.z * (255 - alpha)) / 255;
    b.w = 255;
    under[i] = b;
}

// The morphological gradient: the most less the least, byte by byte.
__global__ void gradient(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 least = make_uchar4(255, 255, 255, 255), most = make_uchar4(0, 0, 0, 0);
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            uchar4 p = in[clamped(y + dy, h - 1) * w + clamped(x + dx, w - 1)];
            least.x = min(least.x, p.x), most.x = max(most.x, p.x);
            least.y = min(least.y, p.y), most.y = max(most.y, p.y);
            least.z = min(least.z, p.z), most.z = max(most.z, p.z);
        }
    out[y * w + x] = make_uchar4(most.x - least.x, most.y - least.y, most.z - least.z, 255);
}

// Bilinear: twice the size.
__global__ void enlarged(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float fx = (x + 0.5f) * 0.5f - 0.5f, fy = (y + 0.5f) * 0.5f - 0.5f;
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
    float ax = fx - x0, ay = fy - y0;
    int sw = w / 2, sh = h / 2;
    uchar4 p = in[clamped(y0, sh - 1) * sw + clamped(x0, sw - 1)];
    uchar4 q = in[clamped(y0, sh - 1) * sw + clamped(x0 + 1, sw - 1)];
    uchar4 r = in[clamped(y0 + 1, sh - 1) * sw + clamped(x0, sw - 1)];
    uchar4 s = in[clamped(y0 + 1, sh - 1) * sw + clamped(x0 + 1, sw - 1)];
    auto mix = [&](int p, int q, int r, int s) {
        float top = p + ax * (q - p), bottom = r + ax * (s - r);
        return to_byte(top + ay * (bottom - top) + 0.5f);
    };
    out[y * w + x] = make_uchar4(mix(p.x, q.x, r.x, s.x), mix(p.y, q.y, r.y, s.y),
                                 mix(p.z, q.z, r.z, s.z), mix(p.w, q.w, r.w, s.w));
}

int main() {
    int w = 2048, h = 2048, n = w * h;
    Buffer<uchar4> in(n), out(n);
    float weights[25];
    int kernel[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
    for (int i = 0; i < 25; i++)
        weights[i] = (3 - abs(i / 5 - 2)) * (3 - abs(i % 5 - 2)) / 81.0f;
    CHECK(cudaMemcpyToSymbol(gauss5, weights, sizeof weights));
    CHECK(cudaMemcpyToSymbol(sharpen3, kernel, sizeof kernel));
    dim3 block(32, 8), grid(w / 32, h / 8);
    measure("filter, box", out, [&] { box_integers<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, box, radius at run time", out,
            [&] { box_radius<<<grid, block>>>(in.dev, out.dev, w, h, 4); });
    measure("filter, Gaussian", out, [&] { gaussian<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, sharpen", out, [&] { sharpen<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, Sobel", out, [&] { sobel<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, bilateral", out,
            [&] { bilateral<<<grid, block>>>(in.dev, out.dev, w, h, 4, 0.02f, 0.0005f); });
    measure("filter, median", out, [&] { median<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, rows", out,
            [&] { rows_shared<7><<<dim3(w / 256, h), 256>>>(in.dev, out.dev, w); });
    measure("filter, weights computed", out,
            [&] { weights_computed<<<grid, block>>>(in.dev, out.dev, w, h, 1.5f); });
    measure("filter, grey and contrast", out,
            [&] { grey_and_contrast<<<n / 256, 256>>>(in.dev, out.dev, n, 1.3f, 5.0f); });
    measure("filter, blend", out, [&] { blend<<<n / 256, 256>>>(in.dev, out.dev, n); });
    measure("filter, gradient", out, [&] { gradient<<<grid, block>>>(in.dev, out.dev, w, h); });
    measure("filter, enlarged", out, [&] { enlarged<<<grid, block>>>(in.dev, out.dev, w, h); });
}
