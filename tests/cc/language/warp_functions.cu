// Barriers, shuffles of every type, votes, match, reduce; and the old forms without a mask.
// CHECK: bar.sync|barrier.sync
// CHECK: bar.red.popc|barrier.red.popc
// CHECK: bar.red.and|barrier.red.and
// CHECK: bar.red.or|barrier.red.or
// CHECK: bar.warp.sync
// CHECK: shfl.sync.idx.b32
// CHECK: shfl.sync.up.b32
// CHECK: shfl.sync.down.b32
// CHECK: shfl.sync.bfly.b32
// CHECK: vote.sync.all.pred
// CHECK: vote.sync.any.pred
// CHECK: vote.sync.ballot.b32
// CHECK: match.any.sync.b32
// CHECK: match.all.sync.b64
// CHECK: redux.sync.add.s32
// CHECK: redux.sync.xor.b32
// CHECK: activemask.b32
// CHECK-NOT: shfl.idx
template <typename T> __device__ T every_shuffle(T v) {
    const unsigned all = 0xffffffffu;
    v += __shfl_sync(all, v, 3) + __shfl_sync(all, v, 3, 16);
    v += __shfl_up_sync(all, v, 1) + __shfl_up_sync(all, v, 1, 8);
    v += __shfl_down_sync(all, v, 2) + __shfl_down_sync(all, v, 2, 4);
    v += __shfl_xor_sync(all, v, 16) + __shfl_xor_sync(all, v, 1, 2);
    v += __shfl(v, 0) + __shfl_up(v, 1) + __shfl_down(v, 1, 16) + __shfl_xor(v, 1);
    return v;
}
__global__ void shuffles(int *i, unsigned *u, long *l, unsigned long *ul, long long *ll,
                         unsigned long long *ull, float *f, double *d) {
    *i = every_shuffle(*i), *u = every_shuffle(*u), *l = every_shuffle(*l);
    *ul = every_shuffle(*ul), *ll = every_shuffle(*ll), *ull = every_shuffle(*ull);
    *f = every_shuffle(*f), *d = every_shuffle(*d);
}
__global__ void votes(unsigned *out, int p, unsigned long long wide, double d) {
    unsigned mask = __activemask();
    int pred;
    __syncthreads();
    out[0] = __syncthreads_count(p) + __syncthreads_and(p) + __syncthreads_or(p);
    __syncwarp();
    __syncwarp(mask);
    out[1] = __all_sync(mask, p) + __any_sync(mask, p) + __ballot_sync(mask, p);
    out[2] = __all(p) + __any(p) + __ballot(p);
    out[3] = __match_any_sync(mask, p) + __match_any_sync(mask, wide) + __match_any_sync(mask, d);
    out[4] = __match_all_sync(mask, p, &pred) + __match_all_sync(mask, wide, &pred) + pred;
    out[5] = __reduce_add_sync(mask, p) + __reduce_min_sync(mask, p) + __reduce_max_sync(mask, p);
    out[6] = __reduce_add_sync(mask, out[5]) + __reduce_min_sync(mask, out[5]) +
             __reduce_max_sync(mask, out[5]) + __reduce_and_sync(mask, out[5]) +
             __reduce_or_sync(mask, out[5]) + __reduce_xor_sync(mask, out[5]);
    out[7] = __fns(mask, 0, 3);
}
