// One lane of a warp produces, 31 consume; it looks by atomicAdd(&taken, 0), they by a volatile load.
#include <cstdio>
__global__ void producerLane(int items, int *sums) {
  __shared__ volatile int item, sequence;
  __shared__ int taken;
  const int lane = threadIdx.x;
  if (lane == 0) { item = 0; sequence = 0; taken = 0; }
  __syncthreads();
  int sum = 0;
  if (lane == 0) {
    for (int k = 1; k <= items; ++k) {
      item = k * k; __threadfence_block(); sequence = k;
      while (atomicAdd(&taken, 0) != 31 * k) {}
      __threadfence_block();
    }
  } else {
    for (int k = 1; k <= items; ++k) {
      while (sequence < k) {}
      __threadfence_block(); sum += item + lane; __threadfence_block();
      atomicAdd(&taken, 1);
    }
  }
  sums[blockIdx.x * 32 + lane] = sum;
}
int main(){int*d;cudaMallocManaged(&d,4096);producerLane<<<2,32>>>(20,d);cudaError_t e=cudaDeviceSynchronize();
  // Lane 5 sums k * k + 5 for k up to 20.
  if(e!=cudaSuccess||d[5]!=2870+100||d[0]!=0||d[32+31]!=2870+620)return printf("FAIL producer_lane: %s, %d\n",cudaGetErrorString(e),d[5]),1;
  puts("PASS producer_lane");}
