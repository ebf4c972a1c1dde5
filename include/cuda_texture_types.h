// Texture references, of the editions before version 12 (guide of version 11, 3.2.13.1.2):
// variables at file scope, sampled by what host code binds to them.
#ifndef __CUDA_TEXTURE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__

#include "channel_descriptor.h"
#include "texture_types.h"

#if defined(__cplusplus) && defined(__CUDA__)

// T: type of a texel; texType: cudaTextureType*; mode: what a fetch gives. normalized, filterMode
// and addressMode may be changed before the reference is bound.
template <class T, int texType = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int norm = 0, enum cudaTextureFilterMode fMode = cudaFilterModePoint,
            enum cudaTextureAddressMode aMode = cudaAddressModeClamp)
        : textureReference() {
        set(norm, fMode, aMode, cudaCreateChannelDesc<T>());
    }
    texture(int norm, enum cudaTextureFilterMode fMode, enum cudaTextureAddressMode aMode,
            struct cudaChannelFormatDesc desc)
        : textureReference() {
        set(norm, fMode, aMode, desc);
    }

  private:
    void set(int norm, enum cudaTextureFilterMode fMode, enum cudaTextureAddressMode aMode,
             struct cudaChannelFormatDesc desc) {
        normalized = norm;
        filterMode = fMode;
        addressMode[0] = addressMode[1] = addressMode[2] = aMode;
        channelDesc = desc;
        mipmapFilterMode = fMode;
    }
};

#endif

#endif
