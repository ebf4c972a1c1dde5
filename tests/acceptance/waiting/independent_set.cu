// Threads look again and again at what their neighbours write, in both blocks.
#include <cstdio>
// independent set: CSR neighbours, volatile status, outer polling loop
__global__ void k(const int n,const int*const __restrict__ x,const int*const __restrict__ l,volatile unsigned char*const __restrict__ s){
 const int from=threadIdx.x+blockIdx.x*blockDim.x,incr=gridDim.x*blockDim.x;int missing;
 do{missing=0;for(int v=from;v<n;v+=incr){const unsigned char nv=s[v];if(nv&1){int i=x[v];
   while(i<x[v+1]&&((nv>s[l[i]])||((nv==s[l[i]])&&(v>l[i]))))i++;
   if(i<x[v+1])missing=1;else{for(int i=x[v];i<x[v+1];i++)s[l[i]]=0;s[v]=0xfe;}}}}while(missing);}
int main(){int n=512;int*x,*l;unsigned char*s;cudaMallocManaged(&x,(n+1)*4);cudaMallocManaged(&l,n*8);cudaMallocManaged(&s,n);int e=0;for(int i=0;i<n;i++){x[i]=e;if(i)l[e++]=i-1;if(i<n-1)l[e++]=i+1;s[i]=1;}x[n]=e;
 k<<<2,256>>>(n,x,l,s);cudaError_t err=cudaDeviceSynchronize();
 // Independent, and no node could be added.
 bool ok=err==cudaSuccess;for(int i=0;i<n;i++){bool in=s[i]==0xfe,near=(i&&s[i-1]==0xfe)||(i<n-1&&s[i+1]==0xfe);ok&=in!=near;}
 if(!ok)return printf("FAIL independent_set: %s\n",cudaGetErrorString(err)),1;
 puts("PASS independent_set");}
