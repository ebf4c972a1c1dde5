// The same in bodies of functions of the host.
__device__ auto fn1(int x){return x;}
void h2(){ decltype(fn1(1)) x; int y=sizeof(fn1(1)); } // error: no matching function for call to 'fn1'
template<class T> void h5(){ decltype(fn1(1)) x; } // error: no matching function for call to 'fn1'
int main(){}
