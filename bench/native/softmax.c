#include <immintrin.h>
#include <math.h>
#include <stddef.h>

__m512 _ZGVeN16v_expf(__m512); // the C library's vector function

void native_softmax(const float *in, float *out, int rows, int columns) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        const float *x = in + (size_t)row * columns;
        float *y = out + (size_t)row * columns;
        __m512 most = _mm512_set1_ps(-INFINITY);
        for (int i = 0; i < columns; i += 16)
            most = _mm512_max_ps(most, _mm512_loadu_ps(x + i));
        most = _mm512_set1_ps(_mm512_reduce_max_ps(most));
        __m512 sum = _mm512_setzero_ps();
        for (int i = 0; i < columns; i += 16) {
            __m512 e = _ZGVeN16v_expf(_mm512_loadu_ps(x + i) - most);
            _mm512_storeu_ps(y + i, e);
            sum += e;
        }
        float factor = 1.0f / _mm512_reduce_add_ps(sum);
#pragma omp simd
        for (int i = 0; i < columns; i++)
            y[i] *= factor;
    }
}

void native_layer_norm(const float *in, const float *scale, const float *shift, float *out,
                       int rows, int columns) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        const float *x = in + (size_t)row * columns;
        float *y = out + (size_t)row * columns, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < columns; i++)
            sum += x[i];
        float mean = sum / columns;
#pragma omp simd reduction(+ : squares)
        for (int i = 0; i < columns; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        float factor = 1.0f / sqrtf(squares / columns + 1e-5f);
#pragma omp simd
        for (int i = 0; i < columns; i++)
            y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
    }
}
