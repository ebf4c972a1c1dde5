# What the clients of PyTorch have in common, after common.sh: one environment with its wheel, without NVIDIA's
# libraries but with stand-ins for those that it links, and kudzu.torch.
name=$client
client=torch-environment
environment torch==2.15.0 triton==3.9.0 numpy==2.3.5 scipy==1.17.1 filelock typing_extensions sympy mpmath networkx \
    jinja2 MarkupSafe fsspec setuptools==80.9.0 ninja pytest==8.4.2 pytest-xdist execnet pytest-timeout iniconfig \
    pluggy pygments packaging
client=$name
torch_libraries=$("$python" -c 'import importlib.util, os
print(os.path.join(importlib.util.find_spec("torch").submodule_search_locations[0], "lib"))')
"$python" "$clients/torch/stand_ins.py" "$torch_libraries" "$work/torch-stand-ins" "$kudzu/lib" >> "$log" ||
    fail "no stand-ins"
export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$work/torch-stand-ins"
export CPATH="$work/torch-stand-ins/include"
export CUDA_HOME="$kudzu/cuda-13" CUDA_PATH="$kudzu/cuda-13" # the version that the wheel is for
export PYTHONPATH="$clients/../../python:$clients/torch/autoload" # ... and in the processes that tests start
export PATH="$(dirname "$python"):$CUDA_HOME/bin:$PATH" # ninja, cuobjdump
export TORCH_CUDA_ARCH_LIST=9.0 TORCH_EXTENSIONS_DIR="$work/torch-extensions"
export TRITON_CACHE_DIR="$work/triton-cache" TRITON_DEFAULT_FP_FUSION=1
export TRITON_PTXAS_PATH="$work/bin/ptxas" TRITON_PTXAS_BLACKWELL_PATH="$work/bin/ptxas"

mkdir -p "$work/disassembler" && ln -sfn "$kudzu/bin/kudzu" "$work/disassembler/nvdisasm"
export TRITON_NVDISASM_PATH="$work/disassembler/nvdisasm" # NVIDIA's, which the wheel has, finds no lines in kudzu's images

# link_libdevice: where Triton's sources, in $sources, have libdevice.
link_libdevice() {
    mkdir -p "$sources/third_party/nvidia/backend"
    ln -sfn "$("$python" -c 'import importlib.util, os
print(os.path.join(importlib.util.find_spec("triton").submodule_search_locations[0], "backends/nvidia/lib"))')" \
        "$sources/third_party/nvidia/backend/lib"
}
