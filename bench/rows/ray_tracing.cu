#include "bench.h"

#include <algorithm>

// 32 spheres on a chequered plane, with shadows and up to five reflections: a thread a pixel.
// What a ray hits, and so how far its path goes, differs from pixel to pixel.
struct Sphere {
    float x, y, z, radius, red, green, blue, mirror;
};
enum { SPHERES = 32 };

extern "C" void native_ray_tracing(const Sphere *spheres, unsigned *image, int width, int height);

__constant__ Sphere spheres[SPHERES];

__device__ float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
__device__ float3 operator*(float s, float3 a) {
    return make_float3(s * a.x, s * a.y, s * a.z);
}
__device__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ float3 normalise(float3 a) {
    return 1.0f / sqrtf(dot(a, a)) * a;
}

// The distance at which a ray meets a sphere from outside; infinite when it does not.
__device__ float meet(const Sphere &s, float3 from, float3 direction) {
    float3 c = make_float3(s.x - from.x, s.y - from.y, s.z - from.z);
    float b = dot(c, direction), d = b * b - dot(c, c) + s.radius * s.radius;
    if (d < 0)
        return INFINITY;
    float t = b - sqrtf(d);
    return t > 1e-3f ? t : INFINITY;
}

__device__ bool in_shadow(float3 from, float3 light) {
    for (int i = 0; i < SPHERES; i++)
        if (meet(spheres[i], from, light) < INFINITY)
            return true;
    return false;
}

__device__ unsigned byte(float v) {
    return (unsigned)(255.0f * fminf(v, 1.0f));
}

__global__ void ray_tracing(unsigned *image, int width, int height) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    const float3 light = normalise(make_float3(0.5f, 1.0f, -0.3f));
    float3 from = make_float3(0, 0.5f, -4), colour = make_float3(0, 0, 0);
    float3 direction = normalise(make_float3((px + 0.5f - 0.5f * width) / height,
                                             (0.5f * height - py - 0.5f) / height, 1.0f));
    float weight = 1;
    for (int bounce = 0; bounce < 5 && weight > 0.02f; bounce++) {
        float nearest = INFINITY;
        int hit = -1;
        for (int i = 0; i < SPHERES; i++) {
            float t = meet(spheres[i], from, direction);
            if (t < nearest) {
                nearest = t;
                hit = i;
            }
        }
        float plane = -(from.y + 1) / direction.y;
        if (direction.y < 0 && plane < nearest) {
            nearest = plane;
            hit = SPHERES;
        }
        if (hit < 0) {
            float sky = 0.5f + 0.5f * direction.y;
            colour = colour + weight * make_float3(0.5f * sky, 0.7f * sky, sky);
            break;
        }
        float3 p = from + nearest * direction, normal, own;
        float mirror;
        if (hit == SPHERES) {
            bool dark = ((int)floorf(p.x) + (int)floorf(p.z)) & 1;
            normal = make_float3(0, 1, 0);
            own = dark ? make_float3(0.2f, 0.2f, 0.2f) : make_float3(0.9f, 0.9f, 0.9f);
            mirror = 0.1f;
        } else {
            const Sphere &s = spheres[hit];
            normal = 1.0f / s.radius * make_float3(p.x - s.x, p.y - s.y, p.z - s.z);
            own = make_float3(s.red, s.green, s.blue);
            mirror = s.mirror;
        }
        from = p + 1e-3f * normal;
        float lit = dot(normal, light);
        if (lit < 0 || in_shadow(from, light))
            lit = 0;
        colour = colour + weight * (1 - mirror) * (0.1f + 0.9f * lit) * own;
        weight *= mirror;
        direction = direction + -2 * dot(direction, normal) * normal;
    }
    image[py * width + px] = byte(colour.x) | byte(colour.y) << 8 | byte(colour.z) << 16;
}

// Rounding moves the edges of shapes, so that single pixels may differ: at most one in 500.
struct Image : Buffer<unsigned> {
    explicit Image(size_t n) : Buffer(n) {
    }
    double error(bench_side side) override {
        std::vector<unsigned> got = get(side);
        size_t differ = 0, black = 0;
        for (size_t i = 0; i < size; i++) {
            int worst = 0;
            for (int k = 0; k < 24; k += 8)
                worst = std::max(worst, abs((int)(got[i] >> k & 255) - (int)(host[i] >> k & 255)));
            differ += worst > 2 || got[i] >> 24;
            black += host[i] == 0;
        }
        return black > size / 2 ? 1 : (double)differ / size;
    }
};

BENCH(ray_tracing) {
    int width = 512, height = 512;
    size_t pixels = (size_t)width * height;
    Image image(pixels);
    Buffer<float> scene(SPHERES * sizeof(Sphere) / sizeof(float));
    unsigned seed = 23;
    auto next = [&](float low, float high) {
        return low + (high - low) * (bench_random(&seed) >> 8) / 16777216.0f;
    };
    Sphere *s = (Sphere *)scene.host;
    for (int i = 0; i < SPHERES; i++) {
        float radius = next(0.2f, 0.8f);
        s[i] = {next(-4, 4), radius - 1, next(-1, 8), radius,
                next(0, 1),  next(0, 1), next(0, 1),  next(0, 0.9f)};
    }
    scene.upload();
    CHECK(cudaMemcpyToSymbol(spheres, s, SPHERES * sizeof *s));
    dim3 grid(width / 16, height / 16), block(16, 16);
    Row r("ray tracing", (double)pixels, "Gpixel/s");
    r.kudzu = [&] { ray_tracing<<<grid, block>>>(image.dev, width, height); };
    r.native = [&] { native_ray_tracing(s, image.host, width, height); };
    r.pocl = [&] {
        pocl("ray_tracing", grid, block, (Buffer<unsigned> &)image, width, height, scene);
    };
    r.outputs = {&image};
    r.tolerance = 0.002;
    measure(r);
}
