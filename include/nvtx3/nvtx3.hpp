// Marks and ranges for profilers, for C++ (NVTX 3's nvtx3.hpp): objects for ranges, attributes from
// any of colour, category, message and payload in any order, domains by type. No profiler listens.
#ifndef NVTX3_CPP_HPP
#define NVTX3_CPP_HPP

#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0
#define NVTX3_CPP_DEFINITIONS_V1_0 // by this libraries know that nvtx3::v1 is here

#include "nvToolsExt.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

// ---- Domains ------------------------------------------------------------------------------

// A domain is a type with a static member `name`.
class domain {
  public:
    struct global {
        static constexpr const char *name = "";
    };

    domain(const domain &) = delete;
    domain &operator=(const domain &) = delete;

    template <typename D = global> static const domain &get() noexcept {
        static const domain one(std::is_same<D, global>::value ? nullptr : create(D::name));
        return one;
    }
    operator nvtxDomainHandle_t() const noexcept {
        return handle;
    }

  private:
    explicit domain(nvtxDomainHandle_t h) noexcept : handle(h) {
    }
    static nvtxDomainHandle_t create(const char *name) noexcept {
        return nvtxDomainCreateA(name);
    }
    static nvtxDomainHandle_t create(const wchar_t *name) noexcept {
        return nvtxDomainCreateW(name);
    }
    const nvtxDomainHandle_t handle;
};

// ---- Attributes ---------------------------------------------------------------------------

struct rgb {
    using component_type = std::uint8_t;
    component_type red, green, blue;
    constexpr rgb(component_type r, component_type g, component_type b) noexcept
        : red(r), green(g), blue(b) {
    }
};
struct argb : rgb {
    component_type alpha;
    constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept
        : rgb(r, g, b), alpha(a) {
    }
};
class color {
  public:
    using value_type = std::uint32_t;
    constexpr explicit color(value_type argb_code) noexcept : value(argb_code) {
    }
    constexpr color(argb c) noexcept
        : value((value_type)c.alpha << 24 | (value_type)c.red << 16 | (value_type)c.green << 8 |
                c.blue) {
    }
    constexpr color(rgb c) noexcept : color(argb(0xff, c.red, c.green, c.blue)) {
    }
    constexpr value_type get_value() const noexcept {
        return value;
    }
    constexpr nvtxColorType_t get_type() const noexcept {
        return NVTX_COLOR_ARGB;
    }

  private:
    value_type value;
};

class category {
  public:
    using id_type = std::uint32_t;
    constexpr explicit category(id_type n) noexcept : id(n) {
    }
    constexpr id_type get_id() const noexcept {
        return id;
    }

  private:
    id_type id;
};

// A category with a name. One by type has the static members `id` and `name`.
template <typename D = domain::global> class named_category_in final : public category {
  public:
    named_category_in(id_type n, const char *name) noexcept : category(n) {
        nvtxDomainNameCategoryA(domain::get<D>(), n, name);
    }
    named_category_in(id_type n, const wchar_t *name) noexcept : category(n) {
        nvtxDomainNameCategoryW(domain::get<D>(), n, name);
    }
    template <typename C> static const named_category_in &get() noexcept {
        static const named_category_in one(C::id, C::name);
        return one;
    }
};
using named_category = named_category_in<domain::global>;

// A message that is handed over once. One by type has the static member `message`.
template <typename D = domain::global> class registered_string_in {
  public:
    explicit registered_string_in(const char *text) noexcept
        : handle(nvtxDomainRegisterStringA(domain::get<D>(), text)) {
    }
    explicit registered_string_in(const std::string &text) noexcept
        : registered_string_in(text.c_str()) {
    }
    explicit registered_string_in(const wchar_t *text) noexcept
        : handle(nvtxDomainRegisterStringW(domain::get<D>(), text)) {
    }
    explicit registered_string_in(const std::wstring &text) noexcept
        : registered_string_in(text.c_str()) {
    }
    registered_string_in(const registered_string_in &) = default;
    registered_string_in &operator=(const registered_string_in &) = default;
    template <typename M> static const registered_string_in &get() noexcept {
        static const registered_string_in one(M::message);
        return one;
    }
    nvtxStringHandle_t get_handle() const noexcept {
        return handle;
    }

  private:
    nvtxStringHandle_t handle;
};
using registered_string = registered_string_in<domain::global>;

class message {
  public:
    using value_type = nvtxMessageValue_t;
    message(const char *text) noexcept : type(NVTX_MESSAGE_TYPE_ASCII) {
        value.ascii = text;
    }
    message(const std::string &text) noexcept : message(text.c_str()) {
    }
    message(std::string &&) = delete; // it would not live long enough
    message(const wchar_t *text) noexcept : type(NVTX_MESSAGE_TYPE_UNICODE) {
        value.unicode = text;
    }
    message(const std::wstring &text) noexcept : message(text.c_str()) {
    }
    message(std::wstring &&) = delete;
    template <typename D>
    message(const registered_string_in<D> &text) noexcept : type(NVTX_MESSAGE_TYPE_REGISTERED) {
        value.registered = text.get_handle();
    }
    message(nvtxMessageType_t t, const nvtxMessageValue_t &v) noexcept : type(t), value(v) {
    }
    value_type get_value() const noexcept {
        return value;
    }
    nvtxMessageType_t get_type() const noexcept {
        return type;
    }

  private:
    nvtxMessageType_t type;
    nvtxMessageValue_t value;
};

class payload {
  public:
    using value_type = nvtxEventAttributes_v2::payload_t;
    explicit payload(std::int64_t v) noexcept : type(NVTX_PAYLOAD_TYPE_INT64) {
        value.llValue = v;
    }
    explicit payload(std::int32_t v) noexcept : type(NVTX_PAYLOAD_TYPE_INT32) {
        value.iValue = v;
    }
    explicit payload(std::uint64_t v) noexcept : type(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
        value.ullValue = v;
    }
    explicit payload(std::uint32_t v) noexcept : type(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) {
        value.uiValue = v;
    }
    explicit payload(float v) noexcept : type(NVTX_PAYLOAD_TYPE_FLOAT) {
        value.fValue = v;
    }
    explicit payload(double v) noexcept : type(NVTX_PAYLOAD_TYPE_DOUBLE) {
        value.dValue = v;
    }
    payload(nvtxPayloadType_t t, const value_type &v) noexcept : type(t), value(v) {
    }
    value_type get_value() const noexcept {
        return value;
    }
    nvtxPayloadType_t get_type() const noexcept {
        return type;
    }

  private:
    nvtxPayloadType_t type;
    value_type value;
};

// Of several of a kind the first counts.
class event_attributes {
  public:
    using value_type = nvtxEventAttributes_t;
    event_attributes() noexcept : attributes() {
        attributes.version = NVTX_VERSION;
        attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    }
    template <typename... Args>
    explicit event_attributes(const category &c, const Args &...args) noexcept
        : event_attributes(args...) {
        attributes.category = c.get_id();
    }
    template <typename... Args>
    explicit event_attributes(const color &c, const Args &...args) noexcept
        : event_attributes(args...) {
        attributes.color = c.get_value();
        attributes.colorType = c.get_type();
    }
    template <typename... Args>
    explicit event_attributes(const payload &p, const Args &...args) noexcept
        : event_attributes(args...) {
        attributes.payload = p.get_value();
        attributes.payloadType = p.get_type();
    }
    template <typename... Args>
    explicit event_attributes(const message &m, const Args &...args) noexcept
        : event_attributes(args...) {
        attributes.message = m.get_value();
        attributes.messageType = m.get_type();
    }
    const value_type *get() const noexcept {
        return &attributes;
    }

  private:
    value_type attributes;
};

namespace kudzu_details {
// What is made of one argument that is no set of attributes already.
template <typename First> struct is_attributes {
    static constexpr bool value =
        std::is_same<typename std::decay<First>::type, event_attributes>::value;
};
} // namespace kudzu_details

// ---- Ranges and marks ---------------------------------------------------------------------

// A range of the thread, as long as the object lives.
template <typename D = domain::global> class scoped_range_in {
  public:
    explicit scoped_range_in(const event_attributes &attributes) noexcept {
        nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
    }
    template <typename First, typename... Args,
              typename = typename std::enable_if<!kudzu_details::is_attributes<First>::value>::type>
    explicit scoped_range_in(const First &first, const Args &...args) noexcept
        : scoped_range_in(event_attributes(first, args...)) {
    }
    scoped_range_in() noexcept : scoped_range_in(event_attributes()) {
    }
    ~scoped_range_in() noexcept {
        nvtxDomainRangePop(domain::get<D>());
    }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
    void *operator new(std::size_t) = delete; // ranges of a thread nest
};
using scoped_range = scoped_range_in<domain::global>;

struct range_handle {
    using value_type = nvtxRangeId_t;
    constexpr range_handle() noexcept : value(0) {
    }
    constexpr explicit range_handle(value_type id) noexcept : value(id) {
    }
    constexpr range_handle(std::nullptr_t) noexcept : value(0) {
    }
    constexpr explicit operator bool() const noexcept {
        return value != 0;
    }
    constexpr value_type get_value() const noexcept {
        return value;
    }

  private:
    value_type value;
};
inline bool operator==(range_handle a, range_handle b) noexcept {
    return a.get_value() == b.get_value();
}
inline bool operator!=(range_handle a, range_handle b) noexcept {
    return !(a == b);
}

template <typename D = domain::global>
inline range_handle start_range_in(const event_attributes &attributes) noexcept {
    return range_handle(nvtxDomainRangeStartEx(domain::get<D>(), attributes.get()));
}
template <typename D = domain::global, typename First, typename... Args,
          typename = typename std::enable_if<!kudzu_details::is_attributes<First>::value>::type>
inline range_handle start_range_in(const First &first, const Args &...args) noexcept {
    return start_range_in<D>(event_attributes(first, args...));
}
template <typename... Args> inline range_handle start_range(const Args &...args) noexcept {
    return start_range_in<domain::global>(args...);
}
template <typename D = domain::global> inline void end_range_in(range_handle r) noexcept {
    nvtxDomainRangeEnd(domain::get<D>(), r.get_value());
}
inline void end_range(range_handle r) noexcept {
    end_range_in<domain::global>(r);
}

// A range that other threads may end, and that can be moved.
template <typename D = domain::global> class unique_range_in {
  public:
    explicit unique_range_in(const event_attributes &attributes) noexcept
        : handle(start_range_in<D>(attributes)) {
    }
    template <typename First, typename... Args,
              typename = typename std::enable_if<
                  !kudzu_details::is_attributes<First>::value &&
                  !std::is_same<typename std::decay<First>::type, unique_range_in>::value>::type>
    explicit unique_range_in(const First &first, const Args &...args) noexcept
        : unique_range_in(event_attributes(first, args...)) {
    }
    unique_range_in() noexcept : unique_range_in(event_attributes()) {
    }
    ~unique_range_in() noexcept {
        end();
    }
    unique_range_in(unique_range_in &&other) noexcept : handle(other.handle), open(other.open) {
        other.open = false;
    }
    unique_range_in &operator=(unique_range_in &&other) noexcept {
        if (this != &other) {
            end();
            handle = other.handle;
            open = other.open;
            other.open = false;
        }
        return *this;
    }
    unique_range_in(const unique_range_in &) = delete;
    unique_range_in &operator=(const unique_range_in &) = delete;

  private:
    void end() noexcept {
        if (open)
            end_range_in<D>(handle);
        open = false;
    }
    range_handle handle;
    bool open = true;
};
using unique_range = unique_range_in<domain::global>;

template <typename D = domain::global>
inline void mark_in(const event_attributes &attributes) noexcept {
    nvtxDomainMarkEx(domain::get<D>(), attributes.get());
}
template <typename D = domain::global, typename First, typename... Args,
          typename = typename std::enable_if<!kudzu_details::is_attributes<First>::value>::type>
inline void mark_in(const First &first, const Args &...args) noexcept {
    mark_in<D>(event_attributes(first, args...));
}
template <typename... Args> inline void mark(const Args &...args) noexcept {
    mark_in<domain::global>(args...);
}

namespace kudzu_details {
// For a range that begins only on a condition.
template <typename D> class optional_range {
  public:
    optional_range() noexcept = default;
    void begin(const event_attributes &attributes) noexcept {
        nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
        begun = true;
    }
    ~optional_range() noexcept {
        if (begun)
            nvtxDomainRangePop(domain::get<D>());
    }
    optional_range(const optional_range &) = delete;
    optional_range &operator=(const optional_range &) = delete;

  private:
    bool begun = false;
};
} // namespace kudzu_details

} // namespace v1
} // namespace nvtx3

// A range by the function's name, to the end of the block that this stands in.
#define NVTX3_V1_FUNC_RANGE_IN(D)                                                                  \
    static const ::nvtx3::v1::registered_string_in<D> nvtx3_func_name__(__func__);                 \
    static const ::nvtx3::v1::event_attributes nvtx3_func_attr__(nvtx3_func_name__);               \
    const ::nvtx3::v1::scoped_range_in<D> nvtx3_range__(nvtx3_func_attr__)
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C)                                                            \
    ::nvtx3::v1::kudzu_details::optional_range<D> nvtx3_range__;                                   \
    if (C) {                                                                                       \
        static const ::nvtx3::v1::registered_string_in<D> nvtx3_func_name__(__func__);             \
        static const ::nvtx3::v1::event_attributes nvtx3_func_attr__(nvtx3_func_name__);           \
        nvtx3_range__.begin(nvtx3_func_attr__);                                                    \
    }
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, C)
#define NVTX3_FUNC_RANGE_IN(D) NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE_IF_IN(D, C) NVTX3_V1_FUNC_RANGE_IF_IN(D, C)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF(C)

#endif
