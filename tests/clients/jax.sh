#!/bin/sh
# JAX with its CUDA 12 plugin: tests of its own that need neither cuDNN nor cuSOLVER.
# JAX_SOURCE: a checkout of https://github.com/jax-ml/jax.
. "$(dirname "$0")/common.sh"
version=0.10.2
environment jax==$version jaxlib==$version jax-cuda12-plugin==$version jax-cuda12-pjrt==$version numpy==2.3.5 \
    scipy==1.17.1 ml_dtypes==0.6.0 opt_einsum pytest==8.4.2 pytest-xdist execnet pytest-timeout iniconfig \
    pluggy pygments packaging absl-py hypothesis sortedcontainers attrs
sources JAX_SOURCE https://github.com/jax-ml/jax jax-v$version tests
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$kudzu/lib/stand-ins"
export JAX_PLATFORMS=cuda JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
export XLA_FLAGS="--xla_gpu_cuda_data_dir=$kudzu --xla_gpu_autotune_level=0 \
--xla_gpu_experimental_autotune_backends=TRITON"
cd "$sources" || exit 1
[ $# -gt 0 ] || set -- tests/lax_test.py tests/lax_numpy_test.py tests/random_test.py tests/nn_test.py \
    tests/lax_control_flow_test.py tests/api_test.py
# JAX looks whether one of NVIDIA's device files exists.
around="with_device_file nvidiactl"
$around true || fail "touch /dev/nvidiactl is needed"
JAX_PLATFORMS=cuda,cpu $around "$python" "$clients/jax_mlp.py" >> "$log" 2>&1 || fail "jax_mlp.py failed"
tests "$@" -n "$jobs" --timeout 600
report $version
