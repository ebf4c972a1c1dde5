#define SPHERES 32
typedef struct {
    float x, y, z, radius, red, green, blue, mirror;
} Sphere;

float meet(__constant Sphere *s, float3 from, float3 direction) {
    float3 c = (float3)(s->x, s->y, s->z) - from;
    float b = dot(c, direction), d = b * b - dot(c, c) + s->radius * s->radius;
    if (d < 0)
        return INFINITY;
    float t = b - sqrt(d);
    return t > 1e-3f ? t : INFINITY;
}

bool in_shadow(__constant Sphere *spheres, float3 from, float3 light) {
    for (int i = 0; i < SPHERES; i++)
        if (meet(&spheres[i], from, light) < INFINITY)
            return true;
    return false;
}

uint byte(float v) {
    return (uint)(255.0f * fmin(v, 1.0f));
}

__kernel void ray_tracing(__global uint *image, int width, int height,
                          __constant Sphere *spheres) {
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    const float3 light = normalize((float3)(0.5f, 1.0f, -0.3f));
    float3 from = (float3)(0, 0.5f, -4), colour = (float3)(0, 0, 0);
    float3 direction = normalize((float3)((px + 0.5f - 0.5f * width) / height,
                                          (0.5f * height - py - 0.5f) / height, 1.0f));
    float weight = 1;
    for (int bounce = 0; bounce < 5 && weight > 0.02f; bounce++) {
        float nearest = INFINITY;
        int hit = -1;
        for (int i = 0; i < SPHERES; i++) {
            float t = meet(&spheres[i], from, direction);
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
            colour += weight * sky * (float3)(0.5f, 0.7f, 1.0f);
            break;
        }
        float3 p = from + nearest * direction, normal, own;
        float mirror;
        if (hit == SPHERES) {
            bool dark = ((int)floor(p.x) + (int)floor(p.z)) & 1;
            normal = (float3)(0, 1, 0);
            own = dark ? (float3)(0.2f) : (float3)(0.9f);
            mirror = 0.1f;
        } else {
            __constant Sphere *s = &spheres[hit];
            normal = (p - (float3)(s->x, s->y, s->z)) / s->radius;
            own = (float3)(s->red, s->green, s->blue);
            mirror = s->mirror;
        }
        from = p + 1e-3f * normal;
        float lit = dot(normal, light);
        if (lit < 0 || in_shadow(spheres, from, light))
            lit = 0;
        colour += weight * (1 - mirror) * (0.1f + 0.9f * lit) * own;
        weight *= mirror;
        direction -= 2 * dot(direction, normal) * normal;
    }
    image[py * width + px] = byte(colour.x) | byte(colour.y) << 8 | byte(colour.z) << 16;
}
