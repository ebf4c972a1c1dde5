#include <immintrin.h>
#include <math.h>

// Sixteen rays of a row side by side, with masks.
enum { SPHERES = 32 };
struct sphere {
    float x, y, z, radius, red, green, blue, mirror;
};
typedef struct {
    __m512 x, y, z;
} vec;

#define SET(v) _mm512_set1_ps(v)

static inline __m512 dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec along(vec a, __m512 t, vec d) { // a + t d
    return (vec){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static inline vec choose(__mmask16 m, vec no, vec yes) {
    return (vec){_mm512_mask_mov_ps(no.x, m, yes.x), _mm512_mask_mov_ps(no.y, m, yes.y),
                 _mm512_mask_mov_ps(no.z, m, yes.z)};
}

// The lanes of m whose ray meets the sphere from outside, and where.
static inline __mmask16 meet(const struct sphere *s, vec from, vec direction, __mmask16 m,
                             __m512 *t) {
    vec c = {s->x - from.x, s->y - from.y, s->z - from.z};
    __m512 b = dot(c, direction), d = b * b - dot(c, c) + s->radius * s->radius;
    m = _mm512_mask_cmp_ps_mask(m, d, _mm512_setzero_ps(), _CMP_GE_OQ);
    if (!m)
        return 0;
    *t = b - _mm512_sqrt_ps(d);
    return _mm512_mask_cmp_ps_mask(m, *t, SET(1e-3f), _CMP_GT_OQ);
}

static __mmask16 in_shadow(const struct sphere *s, vec from, vec light, __mmask16 m) {
    __mmask16 dark = 0;
    __m512 t;
    for (int i = 0; i < SPHERES && (m & ~dark); i++)
        dark |= meet(&s[i], from, light, m & ~dark, &t);
    return dark;
}

// Normal, colour and mirror of what is hit, of the lanes in m.
static void surface(const struct sphere *s, __m512i hit, vec p, vec *normal, vec *own,
                    __m512 *mirror) {
    __mmask16 plane = _mm512_cmpeq_epi32_mask(hit, _mm512_set1_epi32(SPHERES));
    __m512i tile = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_floor_ps(p.x)),
                                    _mm512_cvtps_epi32(_mm512_floor_ps(p.z)));
    __m512 tone = _mm512_mask_mov_ps(SET(0.9f), _mm512_test_epi32_mask(tile, _mm512_set1_epi32(1)),
                                     SET(0.2f));
    *normal = (vec){SET(0), SET(1), SET(0)};
    *own = (vec){tone, tone, tone};
    *mirror = SET(0.1f);
    __mmask16 ball = ~plane;
    if (!ball)
        return;
    __m512i at = _mm512_slli_epi32(_mm512_and_si512(hit, _mm512_set1_epi32(SPHERES - 1)), 3);
#define FIELD(name) _mm512_i32gather_ps(at, &s->name, 4)
    __m512 inverse = 1.0f / FIELD(radius);
    vec n = {(p.x - FIELD(x)) * inverse, (p.y - FIELD(y)) * inverse, (p.z - FIELD(z)) * inverse};
    *normal = choose(ball, *normal, n);
    *own = choose(ball, *own, (vec){FIELD(red), FIELD(green), FIELD(blue)});
    *mirror = _mm512_mask_mov_ps(*mirror, ball, FIELD(mirror));
}

static inline __m512i byte(__m512 v) {
    return _mm512_cvttps_epi32(255.0f * _mm512_min_ps(v, SET(1)));
}

static __m512i trace(const struct sphere *s, vec direction, vec light) {
    vec from = {SET(0), SET(0.5f), SET(-4)}, colour = {SET(0), SET(0), SET(0)};
    __m512 weight = SET(1);
    __mmask16 on = 0xffff;
    for (int bounce = 0; bounce < 5 && on; bounce++) {
        __m512 nearest = SET(INFINITY), t;
        __m512i hit = _mm512_set1_epi32(-1);
        for (int i = 0; i < SPHERES; i++) {
            __mmask16 m = meet(&s[i], from, direction, on, &t);
            if (!m)
                continue;
            m = _mm512_mask_cmp_ps_mask(m, t, nearest, _CMP_LT_OQ);
            nearest = _mm512_mask_mov_ps(nearest, m, t);
            hit = _mm512_mask_mov_epi32(hit, m, _mm512_set1_epi32(i));
        }
        __m512 plane = -(from.y + 1) / direction.y;
        __mmask16 m = _mm512_mask_cmp_ps_mask(on, direction.y, SET(0), _CMP_LT_OQ);
        m = _mm512_mask_cmp_ps_mask(m, plane, nearest, _CMP_LT_OQ);
        nearest = _mm512_mask_mov_ps(nearest, m, plane);
        hit = _mm512_mask_mov_epi32(hit, m, _mm512_set1_epi32(SPHERES));
        m = on & _mm512_movepi32_mask(hit);
        __m512 sky = weight * (0.5f + 0.5f * direction.y);
        colour = choose(m, colour, along(colour, sky, (vec){SET(0.5f), SET(0.7f), SET(1)}));
        on &= ~m;
        if (!on)
            break;
        vec p = along(from, nearest, direction), normal, own;
        __m512 mirror;
        surface(s, hit, p, &normal, &own, &mirror);
        from = choose(on, from, along(p, SET(1e-3f), normal));
        __m512 lit = dot(normal, light);
        m = _mm512_mask_cmp_ps_mask(on, lit, SET(0), _CMP_GE_OQ);
        m &= ~in_shadow(s, from, light, m);
        lit = _mm512_maskz_mov_ps(m, lit);
        __m512 share = weight * (1 - mirror) * (0.1f + 0.9f * lit);
        colour = choose(on, colour, along(colour, share, own));
        weight = weight * mirror;
        on = _mm512_mask_cmp_ps_mask(on, weight, SET(0.02f), _CMP_GT_OQ);
        direction = along(direction, -2 * dot(direction, normal), normal);
    }
    __m512i v = _mm512_or_si512(byte(colour.x), _mm512_slli_epi32(byte(colour.y), 8));
    return _mm512_or_si512(v, _mm512_slli_epi32(byte(colour.z), 16));
}

void native_ray_tracing(const struct sphere *s, unsigned *image, int width, int height) {
    float scale = 1.0f / sqrtf(0.25f + 1 + 0.09f);
    vec light = {SET(0.5f * scale), SET(scale), SET(-0.3f * scale)};
#pragma omp parallel for schedule(dynamic, 4)
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x += 16) {
            const __m512 lane =
                _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            vec d = {(lane + (float)x + 0.5f - 0.5f * (float)width) / (float)height,
                     SET((0.5f * height - y - 0.5f) / height), SET(1)};
            __m512 length = 1.0f / _mm512_sqrt_ps(dot(d, d));
            d = (vec){d.x * length, d.y * length, d.z * length};
            _mm512_storeu_si512(image + y * width + x, trace(s, d, light));
        }
}
