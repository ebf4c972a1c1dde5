// Integer intrinsics of chapter 17.2.
// CHECK: popc.b32
// CHECK: clz.b32|bfind
// CHECK: brev.b32
// CHECK: prmt.b32
// CHECK: shf.l.wrap.b32
// CHECK: shf.r.clamp.b32
// CHECK: mul.hi.u32
// CHECK: dp4a.s32.s32
// CHECK: dp2a.lo.u32.u32
__global__ void integers(long long *out, int a, int b, unsigned c, unsigned d, long long e) {
    out[0] = __popc(a) + __popcll(e) + __clz(a) + __clzll(e) + __ffs(a) + __ffsll(e);
    out[1] = __brev(c) + __brevll(e) + __byte_perm(c, d, 0x5410);
    out[2] = __funnelshift_l(c, d, b) + __funnelshift_r(c, d, b);
    out[3] = __funnelshift_lc(c, d, b) + __funnelshift_rc(c, d, b);
    out[4] = __mul24(a, b) + __umul24(c, d) + __mulhi(a, b) + __umulhi(c, d);
    out[5] = __mul64hi(e, a) + __umul64hi(e, b);
    out[6] = __sad(a, b, c) + __usad(c, d, 1) + __hadd(a, b) + __rhadd(a, b) + __uhadd(c, d) +
             __urhadd(c, d);
    out[7] = __dp4a(a, b, 1) + __dp4a(c, d, 1u) + __dp2a_lo(a, b, 1) + __dp2a_hi(a, b, 1) +
             __dp2a_lo(c, d, 1u) + __dp2a_hi(c, d, 1u);
    out[8] = __dp4a(make_char4(1, 2, 3, 4), make_char4(1, 2, 3, 4), a) +
             __dp2a_lo(make_short2(1, 2), make_char4(1, 2, 3, 4), a);
    out[9] = min(a, b) + max(a, b) + min(c, d) + max(c, d) + min(a, c) + max(e, e) + abs(a) +
             llabs(e) + labs(a) + umin(c, d) + llmax(e, e);
    out[10] = __vadd2(c, d) + __vadd4(c, d) + __vabsdiffu4(c, d) + __vcmpeq4(c, d) +
              __vmaxs2(c, d) + __vminu4(c, d) + __vsub4(c, d) + __vavgu4(c, d) + __vsadu4(c, d);
}
