// What a kernel's parameters may be.
#include <cstdarg>
#include <initializer_list>
#include <vector>
typedef va_list my_list; __global__ void vk1(my_list l){} // error: va_list
__global__ void vk2(__builtin_va_list l){} // error: va_list
template<class T> __global__ void vk3(T l){}
__global__ void vk5(char *l){}
__global__ void il1(const std::initializer_list<int> l){} // error: std::initializer_list
template<class T> __global__ void il2(std::initializer_list<T> l){} // error: std::initializer_list
__global__ void il4(std::vector<int> *l){}
constexpr __global__ void ck1(){} // error: cannot be constexpr
template<class T> constexpr __global__ void ck2(T){} // error: cannot be constexpr
namespace mine { template<class T> struct initializer_list{ T t; }; } __global__ void il5(mine::initializer_list<int> l){}
int main(){}
