"""Random programs whose threads wait for each other, each known to end by how it is made.

A program is a list of events in an order of time. Each event is told by one agent (a thread, or the
host), which waits before for some earlier events. An agent does what it has to do in the order of
time, so that a machine that lets every thread go on comes to the last event (guide 7, 20.6.2). How
an agent waits and tells is drawn: by which load or atomic operation, at which scope, in a loop in
place, in a function, in a recursion, by a table in a loop, by asking for all flags again and again,
through an mbarrier object; and where the agents are: lanes of one warp, warps, blocks, a second
kernel in another stream, on another device (where there are two) or launched by the first one,
threads of the host. Every event has a value, computed from those that it waited for;
they are compared with what Python computes.

usage: waiting_programs.py KUDZU [--seed N] [--count N] [--each N] [--limit SECONDS] [--keep FOLDER]
           [--jobs N] [--run "NAME=VALUE..."]...

Programs are compiled --each (25) to a file, --jobs (1) files at a time, and run once for each --run,
which sets variables of the environment. A program that does not end in --limit (60) seconds, or
computes something else, is named by its seed; --seed N --count 1 makes it again."""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

PROLOGUE = r"""
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <signal.h>
typedef unsigned u;
static volatile long now_seed;
static int device[2];
struct Gone { unsigned *flag, *value; };
#define NOINLINE __device__ __noinline__
__device__ __forceinline__ u ld_volatile(u *p) { return *(volatile u *)p; }
__device__ __forceinline__ u ld_add(u *p) { return atomicAdd(p, 0u); }
__device__ __forceinline__ u ld_or(u *p) { return atomicOr(p, 0u); }
__device__ __forceinline__ u ld_max(u *p) { return atomicMax(p, 0u); }
__device__ __forceinline__ u ld_cas(u *p) { return atomicCAS(p, 77u, 77u); }
__device__ __forceinline__ u ld_acquire_gpu(u *p) {
    u v; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_acquire_sys(u *p) {
    u v; asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_acquire_cta(u *p) {
    u v; asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_relaxed_gpu(u *p) {
    u v; asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_relaxed_sys(u *p) {
    u v; asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_relaxed_cta(u *p) {
    u v; asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ u ld_fenced(u *p) { __threadfence_system(); return *p; }
NOINLINE u peek_volatile(u *p) { return *(volatile u *)p; }
NOINLINE u peek_add(u *p) { return atomicAdd(p, 0u); }
NOINLINE void wait_in_function(u *p) { while (*(volatile u *)p == 0) {} }
NOINLINE void wait_sleeping(u *p) { u ns = 8; while (atomicAdd(p, 0u) == 0) { __nanosleep(ns); if (ns < 256) ns *= 2; } }
NOINLINE u wait_in_recursion(u *p, int depth) {
    if (depth == 0) { while (*(volatile u *)p == 0) {} return 1; }
    u below = wait_in_recursion(p, depth - 1);
    return below + *(volatile u *)p;
}
typedef u (*peek_fn)(u *);
__device__ peek_fn peeks[2] = {peek_volatile, peek_add};
__device__ __forceinline__ void st_volatile(u *p) { *(volatile u *)p = 1; }
__device__ __forceinline__ void st_exch(u *p) { atomicExch(p, 1u); }
__device__ __forceinline__ void st_add(u *p) { atomicAdd(p, 1u); }
__device__ __forceinline__ void st_or(u *p) { atomicOr(p, 1u); }
__device__ __forceinline__ void st_cas(u *p) { atomicCAS(p, 0u, 1u); }
__device__ __forceinline__ void st_release_gpu(u *p) {
    asm volatile("st.release.gpu.u32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void st_release_sys(u *p) {
    asm volatile("st.release.sys.u32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void st_release_cta(u *p) {
    asm volatile("st.release.cta.u32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void st_relaxed_gpu(u *p) {
    asm volatile("st.relaxed.gpu.u32 [%0], 1;" :: "l"(p) : "memory"); }
__device__ __forceinline__ void st_plain(u *p) { *p = 1; __threadfence_system(); }
__device__ __forceinline__ void bar_init(unsigned long long *b) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"((u)__cvta_generic_to_shared(b)) : "memory"); }
__device__ __forceinline__ void bar_tell(unsigned long long *b) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }"
                 :: "r"((u)__cvta_generic_to_shared(b)) : "memory"); }
__device__ __forceinline__ bool bar_ended(unsigned long long *b) {
    u ok;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ok) : "r"((u)__cvta_generic_to_shared(b)) : "memory");
    return ok; }
__device__ __forceinline__ bool bar_try(unsigned long long *b) {
    u ok;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ok) : "r"((u)__cvta_generic_to_shared(b)) : "memory");
    return ok; }
__device__ __forceinline__ u *of_rank(u *p, u rank) {
    u *q; asm("mapa.u64 %0, %1, %2;" : "=l"(q) : "l"(p), "r"(rank)); return q; }
__device__ __forceinline__ void cluster_meets() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory"); }
NOINLINE void tell_in_function(u *p) { atomicExch(p, 1u); }
static void too_late(int) {
    char text[64];
    int n = snprintf(text, sizeof text, "seed %ld did not end\n", now_seed);
    if (write(1, text, n)) {}
    _exit(3);
}
static int check(long seed, const u *out, const u *want, int n) {
    for (int k = 0; k < n; k++)
        if (out[k] != want[k]) {
            printf("seed %ld: event %d is %u, not %u\n", seed, k, out[k], want[k]);
            return 1;
        }
    return 0;
}
"""

LOADS = ["ld_volatile", "ld_add", "ld_or", "ld_max", "ld_cas", "ld_acquire_gpu", "ld_acquire_sys",
         "ld_relaxed_gpu", "ld_relaxed_sys", "ld_fenced"]
BLOCK_LOADS = LOADS + ["ld_acquire_cta", "ld_relaxed_cta"]
STORES = ["st_volatile", "st_exch", "st_add", "st_or", "st_cas", "st_release_gpu",
          "st_release_sys", "st_relaxed_gpu", "st_plain", "tell_in_function"]
BLOCK_STORES = STORES + ["st_release_cta"]
MASK = 0xffffffff


class Event:
    def __init__(self, time, agent, waits):
        self.time, self.agent, self.waits = time, agent, waits
        self.place = "global"  # or: shared, barrier (an mbarrier object), cluster
        self.phase = 0


class Program:
    """agents: (kernel, block, thread), or ("host",). Phases are parts between barriers."""

    def __init__(self, seed):
        self.seed = seed
        r = self.r = random.Random(seed)
        self.kernels = 2 if r.random() < 0.2 else 1
        self.child = self.kernels == 2 and r.random() < 0.4  # the first kernel launches the second
        self.blocks = r.choice([1, 1, 1, 2, 2, 3, 5, 8])
        self.cluster = 2 if self.blocks % 2 == 0 and r.random() < 0.4 else 1
        self.threads = r.choice([32, 32, 33, 64, 64, 96, 128, 256])
        if r.random() < 0.15:
            self.threads = r.randrange(2, 128)
        self.hosts = r.choice([1, 1, 2]) if r.random() < 0.15 else 0
        self.phases = r.choice([1, 1, 1, 2, 3])
        self.sync = r.choice(["__syncthreads();", "__syncwarp();", ""]) if self.phases > 1 else ""
        self.loop = r.random() < 0.2  # the whole in a loop of one iteration that nobody can foresee
        self.make_agents()
        self.make_events()
        self.make_chains()

    def thread(self):
        r = self.r
        kernel, block = r.randrange(self.kernels), r.randrange(self.blocks)
        near = r.random()
        if near < 0.5:
            return (kernel, block, r.randrange(min(32, self.threads)))
        return (kernel, block, r.randrange(self.threads))

    def make_agents(self):
        r, agents = self.r, []
        for _ in range(r.choice([2, 2, 3, 4, 6, 8, 12])):
            a = self.thread()
            if a not in agents:
                agents.append(a)
        agents += [("host", n) for n in range(self.hosts)]
        self.agents = agents

    def make_events(self):
        r = self.r
        n = r.choice([2, 3, 4, 6, 8, 12, 20])
        self.events = []
        phase = 0
        for t in range(n):
            if phase + 1 < self.phases and r.random() < self.phases / n:
                phase += 1
            waits = []
            for _ in range(r.choice([0, 1, 1, 1, 2, 3])):
                near = self.events[-4:] if r.random() < 0.7 else self.events
                if near:
                    w = r.choice(near)
                    if w not in waits:
                        waits.append(w)
            e = Event(t, r.choice(self.agents), waits)
            e.phase = phase
            self.events.append(e)
        for e in self.events:
            users = [e.agent] + [f.agent for f in self.events if e in f.waits]
            same_block = all(a[0] != "host" and a[:2] == e.agent[:2] for a in users)
            same_cluster = self.cluster > 1 and all(
                a[0] == e.agent[0] and a[1] // self.cluster == e.agent[1] // self.cluster
                for a in users if a[0] != "host") and all(a[0] != "host" for a in users)
            if same_block and r.random() < 0.5:
                e.place = r.choice(["shared", "shared", "barrier"])
            elif same_cluster and r.random() < 0.7:
                e.place = "cluster"

    def make_chains(self):
        """Lanes that hand a word on, one after the other, in an order drawn, behind all events."""
        r, self.chain = self.r, None
        if r.random() < 0.35 and self.threads >= 4:
            n = r.randrange(2, min(self.threads, 64) + 1)
            step = next(s for s in iter(lambda: r.randrange(1, n + 1), None) if gcd(s, n) == 1)
            load, store = r.choice(LOADS), r.choice(STORES)
            lock = r.random() < 0.3
            self.chain = (n, step, r.randrange(n), load, store, lock)

    def values(self):
        value = []
        for e in self.events:
            x = 17 * e.time + 3
            for w in e.waits:
                x = x * 31 + value[w.time]
            value.append(x & MASK)
        return value

    # ---- text -------------------------------------------------------------------------------

    def flag(self, e):
        if e.place == "cluster":
            return f"of_rank(&shared_flags[{e.time}], {e.agent[1] % self.cluster})"
        return f"&shared_flags[{e.time}]" if e.place == "shared" else f"&flags[{e.time}]"

    def wait_one(self, e, w, own):
        r = self.r
        if w.place == "barrier":
            ask = r.choice(["bar_ended", "bar_try"])
            return r.choice([f"while (!{ask}(&bars[{w.time}])) {{}}",
                             f"do {{ noise++; }} while (!{ask}(&bars[{w.time}]));"])
        p = self.flag(w)
        loads = BLOCK_LOADS if w.place == "shared" else LOADS
        load = r.choice(loads)
        form = r.randrange(12)
        if form == 0:
            return f"wait_in_function({p});"
        if form == 1:
            return f"wait_sleeping({p});"
        if form == 2:
            return f"noise += wait_in_recursion({p}, {r.randrange(4)});"
        if form == 3:
            return f"while (peeks[{r.randrange(2)}]({p}) == 0) {{}}"
        if form == 4:
            return (f"while ({load}({p}) == 0) {{ long long t = clock64(); "
                    f"while (clock64() - t < {r.randrange(20, 2000)}) {{}} }}")
        if form == 5:
            return f"do {{ __nanosleep({r.randrange(1, 200)}); }} while ({load}({p}) == 0);"
        if form == 6:
            return (f"for (u look = 0;; look++) {{ if ({load}({p}) != 0) break; "
                    f"noise += look & 1; }}")
        if form == 7:
            return f"while ({load}({p}) != 1) noise = noise * 5 + 1;"
        if form == 8:
            return f"while (true) {{ u seen = {load}({p}); if (seen) {{ noise += seen; break; }} }}"
        return f"while ({load}({p}) == 0) {{}}"

    def wait_all(self, e):
        r = self.r
        waits = [w for w in e.waits if w.agent != e.agent]
        if any(w.place == "barrier" for w in waits):
            return [self.wait_one(e, w, True) for w in waits]
        if len(waits) > 1 and r.random() < 0.4:
            loads = [f"({r.choice(LOADS)}({self.flag(w)}) == 0)" for w in waits]
            return ["{ u missing; do { missing = 0; " +
                    " ".join(f"missing += {x};" for x in loads) + " } while (missing); }"]
        if len(waits) > 1 and r.random() < 0.3:
            table = ", ".join(self.flag(w) for w in waits)
            return [f"{{ u *all[] = {{{table}}}; for (int k = 0; k < {len(waits)}; k++) "
                    f"while ({r.choice(LOADS)}(all[k]) == 0) {{}} }}"]
        return [self.wait_one(e, w, True) for w in waits]

    def step(self, e):
        r = self.r
        text = self.wait_all(e)
        text.append(r.choice(["__threadfence();", "__threadfence_system();"]))
        text.append(f"x = {17 * e.time + 3}u;")
        for w in e.waits:
            text.append(f"x = x * 31u + ld_volatile(&values[{w.time}]);")
        text.append(f"*(volatile u *)&values[{e.time}] = x;")
        text.append("__threadfence_system();")
        if e.place == "barrier":
            text.append(f"bar_tell(&bars[{e.time}]);")
            return text
        store = r.choice(BLOCK_STORES if e.place == "shared" else STORES)
        text.append(f"{store}({self.flag(e)});")
        return text

    def kernel_agents(self, kernel):
        return [a for a in self.agents if a[0] == kernel]

    def phase_text(self, kernel, phase):
        r, out = self.r, []
        agents = self.kernel_agents(kernel)
        r.shuffle(agents)
        as_switch = r.random() < 0.3
        if as_switch:
            out.append("switch (me) {")
        for n, a in enumerate(agents):
            steps = [s for e in self.events if e.agent == a and e.phase == phase
                     for s in self.step(e)]
            me = a[1] * self.threads + a[2]
            if as_switch:
                out.append(f"case {me}: {{")
            else:
                out.append(f"{'else ' if n and r.random() < 0.6 else ''}if (me == {me}) {{")
            out += ["  " + s for s in steps]
            out.append("break; }" if as_switch else "}")
        if as_switch:
            out.append("default: break; }")
        return out

    def chain_text(self):
        n, step, at, load, store, lock = self.chain
        out = [f"if (blockIdx.x == 0 && threadIdx.x < {n}) {{",
               f"  u rank = (threadIdx.x * {step}u + {at}u) % {n}u;"]
        if lock:
            out += ["  bool done = false;",
                    "  while (!done) {",
                    "    if (atomicCAS(&chain[65], 0u, 1u) == 0u) {",
                    "      __threadfence(); u old = ld_volatile(&chain[64]);",
                    "      *(volatile u *)&chain[64] = old + rank; __threadfence();",
                    "      atomicExch(&chain[65], 0u); done = true;",
                    "    }",
                    "  }"]
        out += [f"  if (rank > 0) while ({load}(&chain[rank - 1]) == 0) {{}}",
                f"  *(volatile u *)&values[{len(self.events)} + rank] = rank ? "
                f"ld_volatile(&values[{len(self.events)} + rank - 1]) * 3u + rank : 5u;",
                "  __threadfence_system();",
                f"  {store}(&chain[rank]);", "}"]
        return out

    def kernel_text(self, kernel):
        n = len(self.events) + 1
        dims = f"__cluster_dims__({self.cluster}) " if self.cluster > 1 else ""
        out = [f"__global__ void {dims}k{self.seed}_{kernel}(u *flags, u *values, u *chain, u *sink, "
               "int once) {",
               f"__shared__ u shared_flags[{n}]; __shared__ unsigned long long bars[{n}];",
               f"for (int k = threadIdx.x; k < {n}; k += blockDim.x) "
               "{ shared_flags[k] = 0; bar_init(&bars[k]); }",
               "cluster_meets();" if self.cluster > 1 else "__syncthreads();",
               "u me = blockIdx.x * blockDim.x + threadIdx.x, x = 0, noise = 0;"]
        if self.child and kernel == 0:
            out.append(f"if (me == 0) k{self.seed}_1<<<{self.blocks}, {self.threads}, 0, "
                       "cudaStreamFireAndForget>>>(flags, values, chain, sink, once);")
        if self.loop:
            out.append("for (int again = 0; again < once; again++) {")
        for phase in range(self.phases):
            out += self.phase_text(kernel, phase)
            if phase + 1 < self.phases and self.sync:
                out.append(self.sync)
        if self.chain and kernel == 0:
            out += self.chain_text()
        if self.loop:
            out.append("}")
        out.append("if (noise == 12345u) *sink = x;")
        if self.cluster > 1:
            out.append("cluster_meets();")
        out.append("}")
        return "\n".join(out)

    def host_text(self, host):
        out = ["u x = 0;"]
        for e in self.events:
            if e.agent != ("host", host):
                continue
            for w in e.waits:
                out.append(f"while (((volatile u *)flags)[{w.time}] == 0) std::this_thread::yield();")
            out.append(f"x = {17 * e.time + 3}u;")
            for w in e.waits:
                out.append(f"x = x * 31u + ((volatile u *)values)[{w.time}];")
            out.append(f"((volatile u *)values)[{e.time}] = x; __sync_synchronize();")
            out.append(f"((volatile u *)flags)[{e.time}] = 1;")
        out.append("(void)x;")
        return "\n".join(out)

    def hosts_text(self):
        """The first one is the main thread; all wait for the kernels beside each other."""
        others = range(1, self.hosts)
        out = [f"std::thread host{h}([=] {{ {self.host_text(h)} cudaStreamSynchronize(stream[0]); }});"
               for h in others]
        if self.hosts:
            out.append(f"{{ {self.host_text(0)} }}")
        out += [f"host{h}.join();" for h in others]
        return "\n".join(out)

    def expected(self):
        want = self.values()
        if self.chain:
            x = 5
            for rank in range(self.chain[0]):
                x = (x * 3 + rank) & MASK if rank else 5
                want.append(x)
        return want

    def main_text(self):
        want = self.expected()
        launches = "\n".join(
            f"cudaSetDevice(device[{k}]); k{self.seed}_{k}<<<{self.blocks}, {self.threads}, 0, stream[{k}]>>>"
            "(flags, values, chain, sink, 1);" for k in range(1 if self.child else self.kernels))
        return f"""
static int run{self.seed}(cudaStream_t *stream, u *memory) {{
    now_seed = {self.seed};
    u *flags = memory, *values = memory + 64, *chain = memory + 256, *sink = memory + 400;
    static const u want[] = {{{", ".join(f"{w}u" for w in want)}}};
    for (int k = 0; k < 512; k++) memory[k] = 0;
    {launches}
    {self.hosts_text()}
    cudaError_t e = cudaSuccess;
    for (int k = 0; k < 2 && !e; k++) {{ cudaSetDevice(device[k]); e = cudaDeviceSynchronize(); }}
    if (e) {{ printf("seed {self.seed}: %s\\n", cudaGetErrorString(e)); return 1; }}
    return check({self.seed}, values, want, {len(want)});
}}"""


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def file_text(programs, limit):
    out = [PROLOGUE]
    for p in programs:
        out += [p.kernel_text(k) for k in reversed(range(p.kernels))] + [p.main_text()]
    runs = "\n".join(f"    alarm({limit}); bad += run{p.seed}(stream, memory);" for p in programs)
    out.append(f"""
int main() {{
    signal(SIGALRM, too_late);
    cudaStream_t stream[2];
    int devices = 1;
    cudaGetDeviceCount(&devices);
    device[1] = devices > 1;
    for (int k = 1; k >= 0; k--) {{
        cudaSetDevice(device[k]);
        cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
    }}
    u *memory;
    if (cudaHostAlloc(&memory, 4096, cudaHostAllocMapped | cudaHostAllocPortable)) return 2;
    int bad = 0;
{runs}
    printf("%d of {len(programs)} wrong\\n", bad);
    return bad != 0;
}}""")
    return "\n".join(out)


def run_file(args, folder, first, programs):
    """What went wrong; empty: nothing."""
    options = random.Random(first).choice([["-O3"], ["-O3"], ["-O1"], ["-G"]])
    if any(p.child for p in programs):
        options = options + ["-rdc=true"]
    source = os.path.join(folder, f"programs{first}.cu")
    binary = os.path.splitext(source)[0]
    with open(source, "w") as f:
        f.write(file_text(programs, args.limit))
    made = subprocess.run([args.kudzu, "cc", "-arch=sm_90", *options, "-o", binary, source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        return f"{' '.join(options)}: compile error:\n{made.stdout[-2000:]}"
    wrong = ""
    for run in args.run or [""]:
        variables = dict(v.split("=", 1) for v in run.split())
        p = subprocess.run([binary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", env={**os.environ, **variables})
        if p.returncode:
            wrong += f"{' '.join(options)} {run}: {p.stdout[-2000:]}(exit {p.returncode})\n"
    os.remove(binary)
    return wrong


def main():
    a = argparse.ArgumentParser()
    a.add_argument("kudzu")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--count", type=int, default=100)
    a.add_argument("--each", type=int, default=25)
    a.add_argument("--limit", type=int, default=60)
    a.add_argument("--jobs", type=int, default=1)
    a.add_argument("--run", action="append")
    a.add_argument("--keep")
    args = a.parse_args()
    failed = 0
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    last = args.seed + args.count
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        files = [(first, [Program(s) for s in range(first, min(first + args.each, last))])
                 for first in range(args.seed, last, args.each)]
        results = [(file, pool.submit(run_file, args, args.keep or folder, *file)) for file in files]
        for (first, programs), result in results:
            wrong = result.result()
            if wrong:
                failed += 1
                print(f"seeds {first} to {first + len(programs) - 1} {wrong}", flush=True)
    print(f"{args.count} programs, {failed} files failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
