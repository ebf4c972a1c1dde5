__kernel void mandelbrot(__global int *out, int w, int h, int limit) {
    int px = get_global_id(0), py = get_global_id(1), n = 0;
    float cr = px * (3.0f / w) - 2.0f, ci = py * (2.0f / h) - 1.0f, zr = 0, zi = 0;
    while (n < limit && zr * zr + zi * zi <= 4.0f) {
        float r = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = r;
        n++;
    }
    out[py * w + px] = n;
}
