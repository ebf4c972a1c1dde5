// PyTorch's operators on device "cuda", carried out by its own CPU kernels. libtorch's CUDA kernels are
// machine code of NVIDIA's processors; the memory of kudzu's CPU device is the process's memory, which CPU
// kernels can work on. What is registered under the dispatch key CUDA is replaced, which lies below
// autograd, so that gradients, hooks and autocast stay as they are.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/Allocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

#include <cstring>
#include <mutex>
#include <string>
#include <unordered_set>

namespace {

using c10::Device;
using c10::DeviceType;
using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

// ---- Memory ------------------------------------------------------------------------------------

// While a CPU kernel runs for tensors of device "cuda", what this thread allocates for CPU tensors
// comes from the allocator for device memory: results are on the device without a copy.
thread_local bool on_device = false;

struct OnDevice {
    bool before = on_device;
    explicit OnDevice(bool now) { on_device = now; }
    ~OnDevice() { on_device = before; }
};

// The device memory that CPU tensors have now: who frees without a DataPtr (oneDNN's scratch memory) does not
// know whose memory it is.
class Lent {
  public:
    void insert(void *data) {
        std::lock_guard<std::mutex> lock(mutex);
        pointers.insert(data);
    }
    bool erase(void *data) {
        std::lock_guard<std::mutex> lock(mutex);
        return pointers.erase(data) != 0;
    }

  private:
    std::mutex mutex;
    std::unordered_set<void *> pointers;
};

// The CPU's allocator, of device memory where that is asked for.
struct CpuAllocator final : c10::Allocator {
    c10::Allocator *plain = nullptr;  // PyTorch's own for the CPU
    c10::Allocator *device = nullptr; // PyTorch's caching allocator of CUDA memory
    Lent *lent = new Lent;            // lives as long as any tensor

    c10::DataPtr allocate(size_t bytes) override {
        if (!on_device)
            return plain->allocate(bytes);
        c10::DataPtr memory = device->allocate(bytes);
        void *data = memory.get();
        if (!data)
            return c10::DataPtr(nullptr, Device(DeviceType::CPU));
        TORCH_INTERNAL_ASSERT(memory.release_context() == data);
        lent->insert(data);
        return c10::DataPtr(data, data, &release, Device(DeviceType::CPU));
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void *to, const void *from, size_t bytes) const override {
        std::memcpy(to, from, bytes);
    }
    static void release(void *data);
};

CpuAllocator allocator;

void CpuAllocator::release(void *data) {
    if (data && allocator.lent->erase(data))
        allocator.device->raw_deallocate(data);
    else
        allocator.plain->raw_deallocate(data);
}

// ---- The same memory as a tensor of the CPU ----------------------------------------------------

void release_storage(void *storage) {
    c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl *>(storage));
}

// The tensors of one call: as the caller has them, on the device, and as the CPU's kernel gets them.
class Call {
  public:
    explicit Call(Device device) : device(device) {}

    at::Tensor to_cpu(const at::Tensor &tensor) {
        const c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();
        for (const Pair &p : pairs)
            if (p.device.unsafeGetTensorImpl() == impl)
                return p.cpu;
        DispatchKeySet keys(DispatchKey::CPU);
        keys = keys | (impl->key_set() & DispatchKeySet({DispatchKey::Conjugate, DispatchKey::Negative}));
        at::Tensor cpu = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage_on_cpu(tensor.storage())),
                                                                  keys, tensor.dtype());
        copy_geometry(cpu, tensor);
        if (impl->is_wrapped_number())
            cpu.unsafeGetTensorImpl()->set_wrapped_number(true);
        pairs.push_back({tensor, cpu});
        return cpu;
    }

    // What the kernel did to the arguments themselves: out= grows, resize_ and their like.
    void give_back() {
        for (Memory &m : memory)
            if (m.cpu->data() != m.data || m.cpu->nbytes() != m.bytes)
                take_memory(m);
        for (const Pair &p : pairs)
            if (p.cpu.sizes() != p.device.sizes() || p.cpu.strides() != p.device.strides() ||
                p.cpu.storage_offset() != p.device.storage_offset())
                copy_geometry(p.device, p.cpu);
    }

    // A result: the caller's own tensor, one that shares memory with it, or a new one.
    at::Tensor to_device(const at::Tensor &cpu) {
        if (!cpu.defined() || !cpu.is_cpu() || cpu.layout() != c10::kStrided)
            return cpu;
        for (const Pair &p : pairs)
            if (p.cpu.is_same(cpu))
                return p.device;
        for (const at::Tensor &t : of_caller)
            if (t.is_same(cpu))
                return t;
        DispatchKeySet keys(DispatchKey::CUDA);
        keys = keys | (cpu.key_set() & DispatchKeySet({DispatchKey::Conjugate, DispatchKey::Negative}));
        at::Tensor result = at::detail::make_tensor<c10::TensorImpl>(
            c10::Storage(storage_on_device(cpu.storage())), keys, cpu.dtype());
        copy_geometry(result, cpu);
        if (cpu.unsafeGetTensorImpl()->is_wrapped_number())
            result.unsafeGetTensorImpl()->set_wrapped_number(true);
        return result;
    }

    // A tensor of the CPU's that the caller gave.
    void note(const at::Tensor &tensor) { of_caller.push_back(tensor); }
    bool has_cpu_array() const {
        for (const at::Tensor &t : of_caller)
            if (t.dim() > 0)
                return true;
        return false;
    }

  private:
    struct Pair {
        at::Tensor device, cpu;
    };
    struct Memory {
        c10::intrusive_ptr<c10::StorageImpl> device, cpu;
        const void *data;
        size_t bytes;
    };
    Device device;
    c10::SmallVector<Pair, 8> pairs;
    c10::SmallVector<Memory, 8> memory;
    c10::SmallVector<at::Tensor, 4> of_caller;

    static void copy_geometry(const at::Tensor &to, const at::Tensor &from) {
        c10::TensorImpl *impl = to.unsafeGetTensorImpl();
        impl->set_sizes_and_strides(from.sizes(), from.strides(), from.storage_offset());
    }

    c10::intrusive_ptr<c10::StorageImpl> storage_on_cpu(const c10::Storage &storage) {
        c10::StorageImpl *impl = storage.unsafeGetStorageImpl();
        for (const Memory &m : memory)
            if (m.device.get() == impl)
                return m.cpu;
        void *data = impl->mutable_data();
        c10::raw::intrusive_ptr::incref(impl);
        c10::DataPtr same(data, impl, &release_storage, Device(DeviceType::CPU));
        auto cpu = c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), impl->nbytes(),
                                                         std::move(same), &allocator, impl->resizable());
        memory.push_back({c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(impl), cpu, data, impl->nbytes()});
        return cpu;
    }

    // Device memory that carries its place in a CPU's storage moves; anything else is copied.
    c10::DataPtr device_memory(c10::StorageImpl *from) {
        if (from->nbytes() == 0 && !from->data())
            return c10::DataPtr(nullptr, device);
        if (allocator.lent->erase(from->mutable_data())) {
            c10::DataPtr taken = from->set_data_ptr(c10::DataPtr(nullptr, Device(DeviceType::CPU)));
            void *data = taken.release_context();
            return c10::DataPtr(data, data, allocator.device->raw_deleter(), device);
        }
        c10::DataPtr copy = allocator.device->allocate(from->nbytes());
        std::memcpy(copy.get(), from->data(), from->nbytes());
        return copy;
    }

    void take_memory(Memory &m) {
        size_t bytes = m.cpu->nbytes();
        if (m.cpu->data() != m.data)
            m.device->set_data_ptr_noswap(device_memory(m.cpu.get()));
        m.device->set_nbytes(bytes);
    }

    c10::intrusive_ptr<c10::StorageImpl> storage_on_device(const c10::Storage &storage) {
        c10::StorageImpl *impl = storage.unsafeGetStorageImpl();
        for (const Memory &m : memory)
            if (m.cpu.get() == impl)
                return m.device;
        size_t bytes = impl->nbytes();
        auto result = c10::make_intrusive<c10::StorageImpl>(
            c10::StorageImpl::use_byte_size_t(), bytes, device_memory(impl), allocator.device, true);
        memory.push_back({result, c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(impl), impl->data(), bytes});
        return result;
    }
};

// ---- Random numbers ----------------------------------------------------------------------------

uint64_t mix(uint64_t x) { // splitmix64: neighbouring seeds give unlike ones
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// A seed that follows from the CUDA generator's seed and place, which moves on: so torch.cuda.manual_seed,
// get_rng_state and set_rng_state mean what they mean on a GPU.
uint64_t next_seed(c10::GeneratorImpl *generator) {
    enum { STEP = 4 }; // what a CUDA kernel moves on by at least; places are multiples of it
    std::lock_guard<std::mutex> lock(generator->mutex_);
    uint64_t place = generator->get_offset();
    generator->set_offset(place + STEP);
    return mix(mix(generator->current_seed()) ^ place);
}

// For operators without a generator among their arguments: the CPU's default one is lent and put back.
class LentGenerator {
  public:
    explicit LentGenerator(uint64_t seed) : own(at::detail::getDefaultCPUGenerator()) {
        std::lock_guard<std::mutex> lock(own.mutex());
        state = own.get_state();
        own.set_current_seed(seed);
    }
    ~LentGenerator() {
        std::lock_guard<std::mutex> lock(own.mutex());
        own.set_state(state);
    }

  private:
    at::Generator own;
    at::Tensor state;
};

// ---- Arguments and results ---------------------------------------------------------------------

bool on_cuda(const at::Tensor &t) {
    return t.defined() && t.is_cuda();
}

// The device of the first tensor on one, or that an argument names, or the current one.
Device device_of(const Stack &stack, size_t first) {
    std::optional<Device> named;
    for (size_t k = first; k < stack.size(); k++) {
        const IValue &v = stack[k];
        if (v.isTensor() && on_cuda(v.toTensor()))
            return v.toTensor().device();
        if (v.isDevice() && v.toDevice().is_cuda())
            named = v.toDevice();
        if (v.isList())
            for (const IValue &e : v.toListRef())
                if (e.isTensor() && on_cuda(e.toTensor()))
                    return e.toTensor().device();
    }
    if (named && named->has_index())
        return *named;
    return c10::impl::VirtualGuardImpl(DeviceType::CUDA).getDevice();
}

IValue tensor_to_cpu(Call &call, const at::Tensor &t) {
    if (on_cuda(t) && t.layout() == c10::kStrided)
        return call.to_cpu(t);
    if (t.defined() && t.is_cpu())
        call.note(t);
    return t;
}

IValue list_to_cpu(Call &call, const IValue &v) {
    if (v.isTensorList()) {
        c10::List<at::Tensor> list;
        list.reserve(v.toListRef().size());
        for (const IValue &e : v.toListRef())
            list.push_back(tensor_to_cpu(call, e.toTensor()).toTensor());
        return list;
    }
    c10::List<IValue> old = v.toList();
    c10::impl::GenericList list(old.elementType());
    list.reserve(old.size());
    for (const IValue &e : v.toListRef())
        list.push_back(e.isTensor() ? tensor_to_cpu(call, e.toTensor()) : e);
    return list;
}

bool has_tensors(const IValue &v) {
    if (v.isTensorList())
        return true;
    if (!v.isList())
        return false;
    for (const IValue &e : v.toListRef())
        if (e.isTensor())
            return true;
    return false;
}

IValue result_to_device(Call &call, const IValue &v) {
    if (v.isTensor())
        return call.to_device(v.toTensor());
    if (v.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const IValue &e : v.toListRef())
            list.push_back(call.to_device(e.toTensor()));
        return list;
    }
    return v;
}

// Operators that may mix tensors of both devices.
bool may_mix(const OperatorHandle &op) {
    static const std::unordered_set<std::string> names = {
        "aten::copy_", "aten::_copy_from", "aten::_copy_from_and_resize", "aten::_foreach_copy_",
        "aten::index", "aten::_unsafe_index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_",
        "aten::_unsafe_index_put", "aten::_ctc_loss", "aten::_ctc_loss_backward", "aten::_foreach_mul_",
        "aten::_local_scalar_dense",
    };
    return names.count(op.schema().name()) != 0;
}

// ---- The kernel of all operators ---------------------------------------------------------------

void wait_for_stream(const OperatorHandle &op, Device device) {
    c10::impl::VirtualGuardImpl guard(DeviceType::CUDA);
    c10::Stream stream = guard.getStream(device);
    TORCH_CHECK(!guard.isStreamCapturing(stream), op.schema().name(),
                ": kudzu.torch runs this operator on the CPU, which a CUDA graph cannot record");
    guard.synchronizeStream(stream);
}

void run_on_cpu(const OperatorHandle &op, DispatchKeySet, Stack *stack) {
    const size_t arguments = op.schema().arguments().size(), first = stack->size() - arguments;
    Device device = device_of(*stack, first);
    c10::OptionalDeviceGuard device_guard(device);
    wait_for_stream(op, device);

    Call call(device);
    const bool is_random = op.hasTag(at::Tag::nondeterministic_seeded);
    bool takes_generator = false;
    c10::GeneratorImpl *generator =
        is_random ? at::globalContext().defaultGenerator(device).unsafeGetGeneratorImpl() : nullptr;
    for (size_t k = 0; k < arguments; k++) {
        IValue &v = (*stack)[first + k];
        if (v.isTensor())
            v = tensor_to_cpu(call, v.toTensor());
        else if (has_tensors(v))
            v = list_to_cpu(call, v);
        else if (v.isDevice() && v.toDevice().is_cuda())
            v = Device(DeviceType::CPU);
        if (is_random && op.schema().arguments()[k].type()->str().find("Generator") != std::string::npos) {
            takes_generator = true;
            if (v.isGenerator() && v.toGenerator().device().is_cuda())
                generator = v.toGenerator().unsafeGetGeneratorImpl();
            v = at::make_generator<at::CPUGeneratorImpl>(next_seed(generator));
        }
    }
    TORCH_CHECK(!call.has_cpu_array() || may_mix(op),
                "Expected all tensors to be on the same device, but found at least two devices, ", device,
                " and cpu! (in ", op.schema().name(), ")");
    {
        std::optional<LentGenerator> lent;
        if (is_random && !takes_generator)
            lent.emplace(next_seed(generator));
        OnDevice memory(true);
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
        op.redispatchBoxed(DispatchKeySet(DispatchKey::CPU), stack);
    }
    call.give_back();
    const size_t returns = op.schema().returns().size();
    for (size_t k = stack->size() - returns; k < stack->size(); k++)
        (*stack)[k] = result_to_device(call, (*stack)[k]);
}

// oneDNN's convolutions give channels-last results where an operand is; what torch.compile plans with, PyTorch's
// convolution for CUDA without cuDNN, gives contiguous ones.
void convolve(const OperatorHandle &op, DispatchKeySet keys, Stack *stack) {
    const size_t arguments = op.schema().arguments().size();
    for (size_t k = stack->size() - arguments; k < stack->size(); k++) {
        IValue &v = (*stack)[k];
        if (v.isTensor() && on_cuda(v.toTensor()))
            v = v.toTensor().contiguous();
    }
    run_on_cpu(op, keys, stack);
}

bool is_half(const IValue &v) {
    return v.isTensor() && v.toTensor().defined() && at::isReducedFloatingType(v.toTensor().scalar_type());
}

// The CPU's kernels of layer normalisation sum 16-bit numbers in 16 bits, those for CUDA in 32. The last results,
// so many as `statistics`, stay in 32 bits, as they are for CUDA.
template <size_t statistics> void in_float(const OperatorHandle &op, DispatchKeySet keys, Stack *stack) {
    const size_t arguments = op.schema().arguments().size(), returns = op.schema().returns().size();
    const size_t first = stack->size() - arguments;
    std::optional<at::ScalarType> type;
    for (size_t k = first; k < stack->size(); k++) {
        IValue &v = (*stack)[k];
        if (!is_half(v))
            continue;
        type = v.toTensor().scalar_type();
        v = v.toTensor().to(at::kFloat);
    }
    run_on_cpu(op, keys, stack);
    for (size_t k = stack->size() - returns; type && k < stack->size() - statistics; k++)
        if ((*stack)[k].toTensor().defined())
            (*stack)[k] = (*stack)[k].toTensor().to(*type);
}

// The CPU's logarithm of softmax rounds 16-bit numbers before the last step, too (0.05 off where half a unit is
// 0.03), and no softmax of the CPU's takes 16 bits to 32, which CUDA's do: the last argument, forward, asks for
// that; backward it is the type of the result.
void softmax_in_float(const OperatorHandle &op, DispatchKeySet keys, Stack *stack) {
    const size_t first = stack->size() - op.schema().arguments().size();
    at::ScalarType type = (*stack)[first].toTensor().scalar_type();
    IValue &last = stack->back();
    if (!last.isBool())
        type = last.toScalarType();
    else if (last.toBool())
        type = at::kFloat;
    if (last.isBool())
        last = false;
    else if (at::isReducedFloatingType(type))
        last = at::kFloat;
    for (size_t k = first; k < stack->size(); k++)
        if (is_half((*stack)[k]))
            (*stack)[k] = (*stack)[k].toTensor().to(at::kFloat);
    run_on_cpu(op, keys, stack);
    stack->back() = stack->back().toTensor().to(type);
}

void refuse(const OperatorHandle &op, DispatchKeySet, Stack *) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, op.schema().name(),
                                ": PyTorch has no CPU kernel of this operator, and its CUDA kernel is machine code, "
                                "which kudzu cannot run");
}

// ---- Registration ------------------------------------------------------------------------------

// What stays as it is: it launches nothing, but makes or describes tensors on the device.
bool stays(const std::string &name) {
    static const std::unordered_set<std::string> names = {
        "aten::empty.memory_format", "aten::empty_strided", "aten::as_strided", "aten::view",
        "aten::_reshape_alias", "aten::unfold", "aten::view_as_real", "aten::view_as_complex",
        "aten::resize_", "aten::set_", "aten::set_.source_Storage", "aten::set_.source_Storage_storage_offset",
        "aten::set_.source_Tensor", "aten::record_stream", "aten::is_set_to", "aten::_efficientzerotensor",
        "aten::_fused_sdp_choice", "aten::is_pinned", "aten::_pin_memory", "aten::_use_cudnn_ctc_loss",
        "aten::_use_cudnn_ctc_loss.Tensor", "aten::_use_miopen_ctc_loss", "aten::_use_miopen_ctc_loss.Tensor",
    };
    return names.count(name) != 0;
}

struct Silent final : c10::WarningHandler {
    void process(const c10::Warning &) override {}
};

void install() {
    c10::impl::VirtualGuardImpl(DeviceType::CUDA).getDevice(); // that there is one
    allocator.device = c10::GetAllocator(DeviceType::CUDA);
    allocator.plain = c10::GetAllocator(DeviceType::CPU);
    c10::SetAllocator(DeviceType::CPU, &allocator, UINT8_MAX);

    Silent silent; // PyTorch warns of kernels that are replaced
    c10::WarningUtils::WarningHandlerGuard quiet(&silent);
    c10::Dispatcher &dispatcher = c10::Dispatcher::singleton();
    auto replace = [&](const OperatorHandle &op, c10::KernelFunction kernel) {
        static std::vector<c10::RegistrationHandleRAII> *kept = new std::vector<c10::RegistrationHandleRAII>;
        kept->push_back(dispatcher.registerImpl(op.operator_name(), DispatchKey::CUDA, std::move(kernel),
                                                std::nullopt, nullptr, "kudzu.torch"));
    };
    for (const c10::OperatorName &name : dispatcher.getAllOpNamesForDispatchKey(DispatchKey::CUDA)) {
        std::optional<OperatorHandle> op = dispatcher.findSchema(name);
        if (!op || name.name.rfind("aten::", 0) != 0 || stays(toString(name)))
            continue;
        if (op->hasComputedKernelForDispatchKey(DispatchKey::CPU))
            replace(*op, c10::KernelFunction::makeFromBoxedFunction<&run_on_cpu>());
        else
            replace(*op, c10::KernelFunction::makeFromBoxedFunction<&refuse>());
    }
    replace(dispatcher.findSchemaOrThrow("aten::native_layer_norm", ""),
            c10::KernelFunction::makeFromBoxedFunction<&in_float<2>>());
    replace(dispatcher.findSchemaOrThrow("aten::native_layer_norm_backward", ""),
            c10::KernelFunction::makeFromBoxedFunction<&in_float<0>>());
    for (const char *name : {"aten::_softmax", "aten::_log_softmax", "aten::_softmax_backward_data",
                             "aten::_log_softmax_backward_data"})
        replace(dispatcher.findSchemaOrThrow(name, ""),
                c10::KernelFunction::makeFromBoxedFunction<&softmax_in_float>());
    // Composed of others for any device, but by ways that do not come through the dispatcher, or that ask for
    // cuDNN: what the CPU's composition does takes their place.
    replace(dispatcher.findSchemaOrThrow("aten::copy_", ""), c10::KernelFunction::makeFromBoxedFunction<&run_on_cpu>());
    for (const char *name : {"aten::convolution", "aten::convolution_backward"})
        replace(dispatcher.findSchemaOrThrow(name, ""), c10::KernelFunction::makeFromBoxedFunction<&convolve>());
}

} // namespace

// Replaces the kernels, once a process. Returns NULL, or what went wrong.
extern "C" __attribute__((visibility("default"))) const char *kudzu_torch_install() {
    static std::string error;
    static std::once_flag once;
    try {
        std::call_once(once, install);
        return nullptr;
    } catch (const std::exception &e) {
        error = e.what();
        return error.c_str();
    }
}
