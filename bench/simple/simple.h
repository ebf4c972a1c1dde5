#ifndef SIMPLE_H
#define SIMPLE_H

struct particle {
    float x, y, z, vx, vy, vz, m;
};
typedef struct particle P;

#ifdef __cplusplus
extern "C" {
#endif
void plain_saxpy(int n, float a, const float *x, float *y);
void plain_update4(int n, float *a, float *b, float *c, float *d);
void plain_cross(int n, float *a, const float *b);
void plain_particles(int n, P *p, float dt);
void plain_rowsum(int n, int m, const float *a, float *s);
void plain_colsum(int n, int m, const float *a, float *s);
void plain_poly(int n, const float *x, float *y);
void plain_gray(int n, const unsigned char *rgb, unsigned char *g);
void plain_gather(int n, const int *idx, const float *x, float *y);
void plain_by_sign(int n, const float *x, float *y);
void plain_daxpy(int n, double a, const double *x, double *y);
void plain_matmul(int n, const float *a, const float *b, float *c);
void plain_transpose(int n, const float *a, float *b);
void plain_blur_row(int w, int h, const unsigned char *in, unsigned char *out);
void plain_hash(int n, const unsigned *x, unsigned *y);
void plain_stencil_3d(int n, const float *a, float *b);
void plain_mandel(int w, int h, int *out);
void plain_spmv(int n, const int *row, const int *col, const float *val, const float *x, float *y);
void plain_block_sum(int n, const float *x, float *s);
void plain_histogram(int n, const unsigned char *x, unsigned *h);
void plain_nearest(int n, int m, const float *px, const float *py, const float *qx, const float *qy,
                   int *best);
void plain_box_filter(int n, const float *x, float *y, int r);
void plain_shorts(int n, const short *a, const short *b, short *c);
void plain_table(int n, const unsigned char *x, const float *t, float *y);
void plain_histograms(int n, const unsigned char *x, const unsigned char *y, unsigned *h,
                      unsigned *g);
void plain_scatter(int n, const int *ix, unsigned *o);
void plain_turned(int w, int h, const float *in, float *out, float c, float s);
void plain_binomial(int n, const float *spot, float *price);
void plain_filtered(int channels, int steps, const short *in, short *out);
void plain_checksums(int n, const unsigned char *data, const unsigned *t, unsigned *sum);
void plain_median(int w, int h, const unsigned char *in, unsigned char *out);
#ifdef __cplusplus
}
#endif

#endif
