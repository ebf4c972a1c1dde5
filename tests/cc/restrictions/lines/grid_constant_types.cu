// __grid_constant__ is for const parameters of kernels.
struct S{int x;};
void h3(const __grid_constant__ S s){} // error: is for parameters of kernels
__device__ void d3(const __grid_constant__ S s){} // error: is for parameters of kernels
struct M{ __device__ void m(const __grid_constant__ int s){} }; // error: is for parameters of kernels
int main(){}
