// options: -rdc=true
// What launches in device code may pass.
struct S{ int x; __host__ __device__ S(){} __host__ __device__ S(const S&o){x=o.x;} };
struct T{ int x; __host__ __device__ T(int i=0):x(i){} T(const T&)=default; };
struct U{ int x; };
__global__ void cs(S s){} __global__ void ct(T t){} __global__ void cu(U u){} template<class V> __global__ void cv(V v){}
__global__ void p1(){ S s; cs<<<1,1>>>(s); } // error: copy constructor of its own
__global__ void p2(){ T t; ct<<<1,1>>>(t); U u={1}; cu<<<1,1>>>(u); cv<<<1,1>>>(3); }
__device__ void p3(){ S s; cv<<<1,1>>>(s); } // error: copy constructor of its own
void h(){ S s; cs<<<1,1>>>(s); cv<<<1,1>>>(s); }
struct D: S { int y; }; __global__ void p4(){ S*s=0; cv<<<1,1>>>(s); }
int main(){}
