#!/bin/sh
# How long a hello-kernel program with native code in its image takes from start to exit, and how
# long `kudzu cc` takes to compile it: the best of ten.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/hello.cu" <<'CU'
#include <cstdio>
__global__ void hello(int *x) {
    x[threadIdx.x] = threadIdx.x;
}
int main() {
    int *d, h[32];
    cudaMalloc(&d, sizeof h);
    hello<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[31]);
    return h[31] != 31;
}
CU
best() {
    python3 - "$@" <<'PY'
import subprocess, sys, time
best = 1e9
for _ in range(10):
    t = time.time()
    subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
    best = min(best, time.time() - t)
print("%s: %.1f ms" % (sys.argv[1], best * 1e3))
PY
}
best "kudzu cc hello.cu (asked for: under 600)" "$build/bin/kudzu" cc "$work/hello.cu" -o "$work/hello"
"$build/bin/kudzu" cc --kudzu-native=x86-64-v2,x86-64-v3,x86-64-v4 "$work/hello.cu" -o "$work/hello"
best "hello with native code, start to exit (asked for: under 15)" "$work/hello"
