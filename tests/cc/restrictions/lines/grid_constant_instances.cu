// What a template's argument makes of a parameter.
template<class T> __global__ void t12(__grid_constant__ T s){} void h2(){ t12<int><<<1,1>>>(1); } // error: .
int main(){}
