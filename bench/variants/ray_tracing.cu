// Rays and hits as structures with the reflections as recursion of a template; the same in a loop,
// in blocks of 32 x 8; spheres in shared memory as float4, no branches in the search, a grid-stride
// loop over pixels.
#include "bench.h"

enum { WIDTH = 512, HEIGHT = 512, COUNT = 32, BOUNCES = 5 };

struct Ball {
    float x, y, z, radius, red, green, blue, mirror;
};

struct vec3 {
    float x, y, z;
    __device__ vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {
    }
    __device__ vec3 operator+(vec3 o) const {
        return vec3(x + o.x, y + o.y, z + o.z);
    }
    __device__ vec3 operator-(vec3 o) const {
        return vec3(x - o.x, y - o.y, z - o.z);
    }
    __device__ vec3 operator*(float s) const {
        return vec3(x * s, y * s, z * s);
    }
};

__device__ float dot(vec3 a, vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ vec3 unit(vec3 a) {
    return a * rsqrtf(dot(a, a));
}

struct Ray {
    vec3 origin, direction;
    __device__ vec3 at(float t) const {
        return origin + direction * t;
    }
};

struct Hit {
    float t = INFINITY, mirror = 0;
    vec3 point, normal, colour;
};

__device__ Ray camera(int px, int py) {
    return {vec3(0, 0.5f, -4), unit(vec3((px + 0.5f - 0.5f * WIDTH) / HEIGHT,
                                         (0.5f * HEIGHT - py - 0.5f) / HEIGHT, 1.0f))};
}
__device__ vec3 to_light() {
    return unit(vec3(0.5f, 1.0f, -0.3f));
}
__device__ vec3 sky(vec3 direction) {
    float s = 0.5f + 0.5f * direction.y;
    return vec3(0.5f * s, 0.7f * s, s);
}
__device__ bool dark(vec3 p) {
    return ((int)floorf(p.x) + (int)floorf(p.z)) & 1;
}
__device__ unsigned pack(vec3 c) {
    unsigned r = 255.0f * fminf(c.x, 1.0f), g = 255.0f * fminf(c.y, 1.0f);
    return r | g << 8 | (unsigned)(255.0f * fminf(c.z, 1.0f)) << 16;
}

// ---- structures -----------------------------------------------------------------------------

__constant__ Ball balls[COUNT];

__device__ bool meets(const Ball &b, const Ray &ray, float &t) {
    vec3 oc = vec3(b.x, b.y, b.z) - ray.origin;
    float half = dot(oc, ray.direction), disc = half * half - dot(oc, oc) + b.radius * b.radius;
    if (disc < 0)
        return false;
    t = half - sqrtf(disc);
    return t > 1e-3f;
}

__device__ Hit first_hit(const Ray &ray) {
    Hit hit;
    const Ball *ball = nullptr;
    for (const Ball *b = balls; b != balls + COUNT; b++) {
        float t;
        if (meets(*b, ray, t) && t < hit.t) {
            hit.t = t;
            ball = b;
        }
    }
    float t = -(ray.origin.y + 1) / ray.direction.y;
    if (ray.direction.y < 0 && t < hit.t) {
        hit.t = t;
        hit.point = ray.at(t);
        hit.normal = vec3(0, 1, 0);
        float grey = dark(hit.point) ? 0.2f : 0.9f;
        hit.colour = vec3(grey, grey, grey);
        hit.mirror = 0.1f;
    } else if (ball) {
        hit.point = ray.at(hit.t);
        hit.normal = (hit.point - vec3(ball->x, ball->y, ball->z)) * (1.0f / ball->radius);
        hit.colour = vec3(ball->red, ball->green, ball->blue);
        hit.mirror = ball->mirror;
    }
    return hit;
}

// How much light arrives: none where the surface turns away or another ball is between.
__device__ float brightness(const Hit &hit, vec3 light) {
    float lit = dot(hit.normal, light), t;
    if (lit < 0)
        return 0;
    Ray shadow = {hit.point + hit.normal * 1e-3f, light};
    for (int i = 0; i < COUNT; i++)
        if (meets(balls[i], shadow, t))
            return 0;
    return lit;
}

template <int LEFT> __device__ vec3 trace(const Ray &ray, float weight) {
    if constexpr (LEFT == 0) {
        return vec3();
    } else {
        if (weight <= 0.02f)
            return vec3();
        Hit hit = first_hit(ray);
        if (isinf(hit.t))
            return sky(ray.direction) * weight;
        float share = weight * (1 - hit.mirror) * (0.1f + 0.9f * brightness(hit, to_light()));
        vec3 d = ray.direction;
        Ray mirrored = {hit.point + hit.normal * 1e-3f, d - hit.normal * (2 * dot(d, hit.normal))};
        return hit.colour * share + trace<LEFT - 1>(mirrored, weight * hit.mirror);
    }
}

__global__ void render_recursive(unsigned *image) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    image[y * WIDTH + x] = pack(trace<BOUNCES>(camera(x, y), 1));
}

__global__ void render_loop(unsigned *image) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    Ray ray = camera(x, y);
    vec3 sum;
    float weight = 1;
    const vec3 light = to_light();
    for (int depth = 0; depth < BOUNCES; depth++) {
        if (!(weight > 0.02f))
            break;
        Hit hit = first_hit(ray);
        if (hit.t == INFINITY) {
            sum = sum + sky(ray.direction) * weight;
            break;
        }
        float lit = brightness(hit, light);
        sum = sum + hit.colour * (weight * (1 - hit.mirror) * (0.1f + 0.9f * lit));
        weight *= hit.mirror;
        ray.origin = hit.point + hit.normal * 1e-3f;
        ray.direction = ray.direction - hit.normal * (2 * dot(ray.direction, hit.normal));
    }
    image[y * WIDTH + x] = pack(sum);
}

// ---- arrays in shared memory ----------------------------------------------------------------

struct Scene {
    float4 place[COUNT], look[COUNT];
};

__device__ float nearest(const Scene &s, vec3 from, vec3 to, int &which) {
    float best = INFINITY;
    which = -1;
    for (int i = 0; i < COUNT; i++) {
        float4 p = s.place[i];
        vec3 c(p.x - from.x, p.y - from.y, p.z - from.z);
        float b = dot(c, to), d = b * b - dot(c, c) + p.w * p.w;
        float t = d < 0 ? INFINITY : b - sqrtf(d);
        bool closer = t > 1e-3f && t < best;
        best = closer ? t : best;
        which = closer ? i : which;
    }
    return best;
}

__global__ void render_shared(const float4 *scene, unsigned *image) {
    __shared__ Scene s;
    for (int i = threadIdx.x; i < 2 * COUNT; i += blockDim.x)
        (i % 2 ? s.look : s.place)[i / 2] = scene[i];
    __syncthreads();
    vec3 light = to_light();
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < WIDTH * HEIGHT;
         p += blockDim.x * gridDim.x) {
        Ray ray = camera(p % WIDTH, p / WIDTH);
        vec3 colour;
        float weight = 1;
        for (int left = BOUNCES; left > 0 && weight > 0.02f; left--) {
            int i, blocker;
            float t = nearest(s, ray.origin, ray.direction, i);
            float floor_t = -(ray.origin.y + 1) / ray.direction.y;
            bool on_floor = ray.direction.y < 0 && floor_t < t;
            if (!on_floor && i < 0) {
                colour = colour + sky(ray.direction) * weight;
                break;
            }
            vec3 at = ray.at(on_floor ? floor_t : t), normal(0, 1, 0);
            float4 look = make_float4(0.9f, 0.9f, 0.9f, 0.1f);
            if (!on_floor) {
                float4 c = s.place[i];
                normal = (at - vec3(c.x, c.y, c.z)) * (1 / c.w);
                look = s.look[i];
            } else if (dark(at)) {
                look = make_float4(0.2f, 0.2f, 0.2f, 0.1f);
            }
            ray.origin = at + normal * 1e-3f;
            float lit = fmaxf(dot(normal, light), 0.0f);
            if (lit > 0 && nearest(s, ray.origin, light, blocker) < INFINITY)
                lit = 0;
            float share = weight * (1 - look.w) * (0.1f + 0.9f * lit);
            colour = colour + vec3(look.x, look.y, look.z) * share;
            weight *= look.w;
            ray.direction = ray.direction + normal * (-2 * dot(ray.direction, normal));
        }
        image[p] = pack(colour);
    }
}

VARIANTS(ray_tracing, "ray tracing") {
    unsigned *image = row_buffer<unsigned>(0).dev;
    const float *scene = row_buffer<float>(1).dev;
    CHECK(cudaMemcpyToSymbol(balls, scene, sizeof balls, 0, cudaMemcpyDeviceToDevice));
    return {
        [=] { render_recursive<<<dim3(WIDTH / 8, HEIGHT / 8), dim3(8, 8)>>>(image); },
        [=] { render_loop<<<dim3(WIDTH / 32, HEIGHT / 8), dim3(32, 8)>>>(image); },
        [=] { render_shared<<<256, 256>>>((const float4 *)scene, image); },
    };
}
