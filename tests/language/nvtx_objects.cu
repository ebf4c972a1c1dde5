// <nvtx3/nvtx3.hpp>: the attributes that objects make, how ranges nest, as callers can see it.
#include <nvtx3/nvtx3.hpp>

#include "check.h"

struct my_domain {
    static constexpr const char *name = "mine";
};
struct my_category {
    static constexpr const char *name = "loads";
    static constexpr uint32_t id = 7;
};
struct my_message {
    static constexpr const char *message = "read all of it";
};

// How many ranges of this thread are open.
static int depth() {
    int d = nvtxRangePushA("");
    nvtxRangePop();
    return d;
}

static void attributes() {
    using namespace nvtx3;
    std::string text = "text";
    event_attributes a(payload(2.5), color(rgb(1, 2, 3)), text, category(4),
                       color(argb(9, 9, 9, 9)));
    const nvtxEventAttributes_t *p = a.get();
    CHECK(p->version == NVTX_VERSION && p->size == NVTX_EVENT_ATTRIB_STRUCT_SIZE);
    CHECK(p->colorType == NVTX_COLOR_ARGB && p->color == 0xff010203 && p->category == 4);
    CHECK(p->payloadType == NVTX_PAYLOAD_TYPE_DOUBLE && p->payload.dValue == 2.5);
    CHECK(p->messageType == NVTX_MESSAGE_TYPE_ASCII && p->message.ascii == text.c_str());
    event_attributes none, wide(L"wide", payload(-3)),
        registered(registered_string::get<my_message>());
    CHECK(none.get()->messageType == NVTX_MESSAGE_UNKNOWN &&
          none.get()->colorType == NVTX_COLOR_UNKNOWN);
    CHECK(wide.get()->messageType == NVTX_MESSAGE_TYPE_UNICODE && wide.get()->payload.iValue == -3);
    CHECK(wide.get()->payloadType == NVTX_PAYLOAD_TYPE_INT32);
    CHECK(registered.get()->messageType == NVTX_MESSAGE_TYPE_REGISTERED);
    CHECK(named_category_in<my_domain>::get<my_category>().get_id() == 7);
    CHECK(event_attributes(payload(uint64_t(5))).get()->payloadType ==
          NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
}

static int in_function() {
    NVTX3_FUNC_RANGE_IN(my_domain);
    return depth();
}

static int on_condition(bool begin) {
    NVTX3_FUNC_RANGE_IF(begin);
    return depth();
}

static void ranges() {
    CHECK(depth() == 0 && in_function() == 1 && in_function() == 1);
    {
        nvtx3::scoped_range a("outer", nvtx3::payload(1));
        nvtx3::scoped_range_in<my_domain> b(nvtx3::event_attributes("inner"));
        CHECK(depth() == 2);
        CHECK(on_condition(true) == 3 && on_condition(false) == 2);
    }
    CHECK(depth() == 0);
    nvtx3::unique_range first("first"), second(std::move(first));
    first = std::move(second);
    nvtx3::range_handle h = nvtx3::start_range_in<my_domain>("work", nvtx3::color(0xff00ff00));
    nvtx3::end_range_in<my_domain>(h);
    nvtx3::end_range(nvtx3::start_range("other"));
    nvtx3::mark("here");
    nvtx3::mark_in<my_domain>(nvtx3::event_attributes("there", nvtx3::category(3)));
    CHECK(depth() == 0 && nvtx3::range_handle(nullptr) == nvtx3::range_handle());
}

int main() {
    attributes();
    ranges();
    return failures != 0;
}
