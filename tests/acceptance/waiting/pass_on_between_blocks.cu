// Five blocks hand a word on by cuda::atomic, each its turn several times.
#include <cstdio>
#include <cuda/atomic>
__global__ void passOn(int *data, cuda::atomic<int, cuda::thread_scope_device> *flag, int hops) {
  if (threadIdx.x != 0) return;
  for (int h = blockIdx.x; h < hops; h += gridDim.x) {
    while (flag->load(cuda::memory_order_acquire) != h) {}
    for (int k = 0; k < 16; ++k) data[k] = data[(k + 1) % 16] + h;
    flag->store(h + 1, cuda::memory_order_release);
  }
}
int main(){int*d;cudaMallocManaged(&d,4096);cudaMemset(d,0,4096);passOn<<<5,33>>>(d,(cuda::atomic<int, cuda::thread_scope_device> *)(d + 100), 60);cudaError_t e=cudaDeviceSynchronize();
  int want[16]={0};for(int h=0;h<60;++h)for(int k=0;k<16;++k)want[k]=want[(k+1)%16]+h;
  bool same=true;for(int k=0;k<16;++k)same&=d[k]==want[k];
  if(e!=cudaSuccess||d[100]!=60||!same)return printf("FAIL pass_on_between_blocks: %s, %d\n",cudaGetErrorString(e),d[100]),1;
  puts("PASS pass_on_between_blocks");}
