// A block's place in its cluster and the cluster's barrier as functions of the device language, for
// compute capability 9.0 and higher: what cooperative groups' cluster_group (guide 11.5.1.2)
// offers, under the names that headers of libraries use. Sizes and places are in blocks, but for
// the grid's, which is in clusters.
#ifndef KUDZU_CLUSTER_FUNCTIONS_H
#define KUDZU_CLUSTER_FUNCTIONS_H

#include "vector_types.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

#define KUDZU_CLUSTER static __inline__ __attribute__((device, always_inline))
#define KUDZU_CLUSTER_WORD(name, text)                                                             \
    KUDZU_CLUSTER unsigned int name() {                                                            \
        unsigned int word;                                                                         \
        asm("mov.u32 %0, %%" text ";" : "=r"(word));                                               \
        return word;                                                                               \
    }
#define KUDZU_CLUSTER_DIM3(name, text)                                                             \
    KUDZU_CLUSTER dim3 name() {                                                                    \
        dim3 words;                                                                                \
        asm("mov.u32 %0, %%" text ".x;" : "=r"(words.x));                                          \
        asm("mov.u32 %0, %%" text ".y;" : "=r"(words.y));                                          \
        asm("mov.u32 %0, %%" text ".z;" : "=r"(words.z));                                          \
        return words;                                                                              \
    }

KUDZU_CLUSTER_DIM3(__clusterDim, "cluster_nctaid")
KUDZU_CLUSTER_DIM3(__clusterRelativeBlockIdx, "cluster_ctaid")
KUDZU_CLUSTER_DIM3(__clusterGridDimInClusters, "nclusterid")
KUDZU_CLUSTER_DIM3(__clusterIdx, "clusterid")
KUDZU_CLUSTER_WORD(__clusterRelativeBlockRank, "cluster_ctarank")
KUDZU_CLUSTER_WORD(__clusterSizeInBlocks, "cluster_nctarank")

// Was the kernel launched, or declared, with a size of clusters?
KUDZU_CLUSTER unsigned int __clusterDimIsSpecified() {
    unsigned int is;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
    return is;
}

// The same variable in the shared memory of block `rank` of the cluster.
KUDZU_CLUSTER void *__cluster_map_shared_rank(const void *address, unsigned int rank) {
    void *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
}

// The rank of the block to whose shared memory the address belongs.
KUDZU_CLUSTER unsigned int __cluster_query_shared_rank(const void *address) {
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}

// All threads of the cluster arrive before any comes out of waiting. Who waits sees what was stored
// before the others arrived, unless they arrived relaxed.
KUDZU_CLUSTER void __cluster_barrier_arrive() {
    asm volatile("barrier.cluster.arrive;" ::: "memory");
}
KUDZU_CLUSTER void __cluster_barrier_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
KUDZU_CLUSTER void __cluster_barrier_wait() {
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

#undef KUDZU_CLUSTER
#undef KUDZU_CLUSTER_WORD
#undef KUDZU_CLUSTER_DIM3

#endif
#endif
