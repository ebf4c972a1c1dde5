// A grid-stride loop with normcdff; two options a thread as float2 with a helper that gives both
// prices; a structure for an option, in blocks of 128, put by parity.
#include "bench.h"

enum { N = 1 << 20 };
static const float riskfree = 0.02f, volatility = 0.3f;

__global__ void options_loop(const float *S, const float *X, const float *T, float *call,
                             float *put, int n) {
    for (int opt = blockDim.x * blockIdx.x + threadIdx.x; opt < n; opt += blockDim.x * gridDim.x) {
        float sqrtT = sqrtf(T[opt]);
        float d1 = (logf(S[opt] / X[opt]) + (riskfree + 0.5f * volatility * volatility) * T[opt]) /
                   (volatility * sqrtT);
        float d2 = d1 - volatility * sqrtT;
        float CNDD1 = normcdff(d1), CNDD2 = normcdff(d2), expRT = expf(-riskfree * T[opt]);
        call[opt] = S[opt] * CNDD1 - X[opt] * expRT * CNDD2;
        put[opt] = X[opt] * expRT * (1.0f - CNDD2) - S[opt] * (1.0f - CNDD1);
    }
}

__device__ float normal(float x) {
    return 0.5f * (1.0f + erff(x * 0.70710678f));
}

__device__ inline void body(float &call, float &put, float S, float X, float T) {
    float rootT = sqrtf(T), v = volatility * rootT;
    float d1 = (logf(S / X) + (riskfree + 0.5f * volatility * volatility) * T) / v, d2 = d1 - v;
    float n1 = normal(d1), n2 = normal(d2), discounted = X * expf(-riskfree * T);
    call = S * n1 - discounted * n2;
    put = discounted * normal(-d2) - S * normal(-d1);
}

__launch_bounds__(128) __global__ void options_pairs(float2 *call, float2 *put, const float2 *S,
                                                     const float2 *X, const float2 *T, int pairs) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < pairs) {
        float call1, call2, put1, put2;
        body(call1, put1, S[i].x, X[i].x, T[i].x);
        body(call2, put2, S[i].y, X[i].y, T[i].y);
        call[i] = make_float2(call1, call2);
        put[i] = make_float2(put1, put2);
    }
}

template <typename T> struct Option {
    T spot, strike, years;
    __device__ T discount() const {
        return exp(-(T)riskfree * years);
    }
    __device__ T call() const {
        T sigma = (T)volatility * sqrt(years);
        T forward = log(spot / strike) + (T)riskfree * years;
        return spot * cdf(forward / sigma + sigma / 2) -
               strike * discount() * cdf(forward / sigma - sigma / 2);
    }
    static __device__ T cdf(T x) {
        return (T)0.5 * erfc(-x * (T)0.70710678);
    }
};

__global__ void options_parity(const float *spot, const float *strike, const float *years,
                               float *call, float *put, unsigned count) {
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= count)
        return;
    Option<float> option = {spot[i], strike[i], years[i]};
    float c = option.call();
    call[i] = c;
    put[i] = c + option.strike * option.discount() - option.spot;
}

VARIANTS(black_scholes, "Black-Scholes") {
    const float *s = row_buffer<float>(0).dev, *k = row_buffer<float>(1).dev;
    const float *t = row_buffer<float>(2).dev;
    float *call = row_buffer<float>(3).dev, *put = row_buffer<float>(4).dev;
    return {
        [=] { options_loop<<<480, 128>>>(s, k, t, call, put, N); },
        [=] {
            options_pairs<<<N / 2 / 128, 128>>>((float2 *)call, (float2 *)put, (float2 *)s,
                                                (float2 *)k, (float2 *)t, N / 2);
        },
        [=] { options_parity<<<N / 128, 128>>>(s, k, t, call, put, N); },
    };
}
