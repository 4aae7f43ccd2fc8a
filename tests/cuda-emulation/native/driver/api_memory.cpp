// Entry points: allocating, copying and filling memory. Every range is checked against its allocation at the call.
#include <cstring>

#include "driver.h"
#include "memory.h"
#include "stream.h"

using namespace eagerflow;

namespace {

int allocate(uint64_t* out, size_t size) {
    if (out == nullptr) return INVALID_VALUE;
    int code = allocate_device(out, size);
    if (code != OUT_OF_MEMORY || pending_work() == 0) return code;
    // Memory that streams are about to give back counts as free.
    if (const int lost = drain_all()) return lost;
    return allocate_device(out, size);
}

Copy linear(uint64_t to, uint64_t from, size_t bytes, Direction direction) {
    Copy copy;
    copy.direction = direction;
    copy.to = to, copy.from = from;
    copy.width = copy.to_pitch = copy.from_pitch = bytes;
    return copy;
}

size_t extent(size_t pitch, const Copy& copy) { return copy.height == 0 ? 0 : pitch * (copy.height - 1) + copy.width; }

int check(const Copy& copy) {
    if (copy.width == 0 || copy.height == 0) return SUCCESS;
    const bool to_device = copy.direction == Direction::HostToDevice || copy.direction == Direction::DeviceToDevice;
    const bool from_device = copy.direction == Direction::DeviceToHost || copy.direction == Direction::DeviceToDevice;
    const size_t to = extent(copy.to_pitch, copy), from = extent(copy.from_pitch, copy);
    if (to_device ? !owns_device(copy.to, to) : (copy.to == 0 || is_device_address(copy.to))) return INVALID_VALUE;
    if (from_device ? !owns_device(copy.from, from) : (copy.from == 0 || is_device_address(copy.from))) return INVALID_VALUE;
    return SUCCESS;
}

// Pageable memory of the host is read at the call, and written before the call returns; pinned memory when the stream
// comes to it.
int enqueue(Copy copy, Stream* stream) {
    if (stream == nullptr) return INVALID_HANDLE;
    if (const int code = check(copy)) return code;
    if (copy.width == 0 || copy.height == 0) return SUCCESS;
    const bool to_host = copy.direction == Direction::DeviceToHost || copy.direction == Direction::HostToHost;
    const bool from_host = copy.direction == Direction::HostToDevice || copy.direction == Direction::HostToHost;
    const bool pageable_source = from_host && !is_pinned((void*)copy.from, extent(copy.from_pitch, copy));
    const bool pageable_target = to_host && !is_pinned((void*)copy.to, extent(copy.to_pitch, copy));
    if (stream->capture != nullptr && (pageable_source || pageable_target)) {
        stream->capture->valid = false;
        return CAPTURE_UNSUPPORTED;
    }
    if (pageable_target) {
        if (const int code = drain(stream)) return code;
        driver().counters.synchronizations++;
        return run_copy(copy);
    }
    if (pageable_source) {
        copy.staged = std::make_shared<std::vector<unsigned char>>(copy.width * copy.height);
        for (size_t row = 0; row < copy.height; row++)
            memcpy(copy.staged->data() + row * copy.width, (const char*)copy.from + row * copy.from_pitch, copy.width);
    }
    Work work;
    work.kind = WorkKind::Copy;
    work.copy = std::move(copy);
    return submit(stream, std::move(work));
}

// The forms without a stream: in order with the default stream; whoever touches memory of the host waits.
int copy_now(Copy copy) {
    if (const int code = refuse_while_capturing()) return code;
    if (const int code = check(copy)) return code;
    if (copy.width == 0 || copy.height == 0) return SUCCESS;
    Stream* stream = stream_of(nullptr);
    const bool wait = copy.direction != Direction::DeviceToDevice;
    Work work;
    work.kind = WorkKind::Copy;
    work.copy = std::move(copy);
    if (const int code = submit(stream, std::move(work))) return code;
    if (!wait) return SUCCESS;
    driver().counters.synchronizations++;
    return drain(stream);
}

int fill(uint64_t to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, Stream* stream) {
    if (stream == nullptr) return INVALID_HANDLE;
    if (width == 0 || height == 0) return SUCCESS;
    if (to % element != 0 || !owns_device(to, pitch * (height - 1) + width * element)) return INVALID_VALUE;
    Work work;
    work.kind = WorkKind::Fill;
    work.fill = Fill{to, width, height, pitch, value, element};
    return submit(stream, std::move(work));
}

int fill_now(uint64_t to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height) {
    if (const int code = refuse_while_capturing()) return code;
    return fill(to, pitch, value, element, width, height, stream_of(nullptr));
}

// `CUmemorytype`: 1 host, 2 device, 4 unified (told by the address).
bool is_device(unsigned type, uint64_t address) { return type == 2 || (type == 4 && is_device_address(address)); }

struct Memcpy2D {
    size_t from_x, from_y;
    unsigned from_type;
    const void* from_host;
    uint64_t from_device;
    void* from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    unsigned to_type;
    void* to_host;
    uint64_t to_device;
    void* to_array;
    size_t to_pitch;
    size_t width, height;
};

int read_2d(const Memcpy2D* p, Copy& copy) {
    if (p == nullptr || p->from_type == 3 || p->to_type == 3) return INVALID_VALUE;
    const uint64_t from = p->from_type == 1 ? (uint64_t)p->from_host : p->from_device;
    const uint64_t to = p->to_type == 1 ? (uint64_t)p->to_host : p->to_device;
    const bool a = is_device(p->from_type, from), b = is_device(p->to_type, to);
    copy.direction = a ? (b ? Direction::DeviceToDevice : Direction::DeviceToHost) : b ? Direction::HostToDevice : Direction::HostToHost;
    copy.from_pitch = p->from_pitch != 0 ? p->from_pitch : p->width;
    copy.to_pitch = p->to_pitch != 0 ? p->to_pitch : p->width;
    copy.from = from + p->from_y * copy.from_pitch + p->from_x;
    copy.to = to + p->to_y * copy.to_pitch + p->to_x;
    copy.width = p->width, copy.height = p->height;
    return copy.from_pitch < p->width || copy.to_pitch < p->width ? INVALID_VALUE : SUCCESS;
}

Direction direction_of(uint64_t to, uint64_t from) {
    if (is_device_address(to)) return is_device_address(from) ? Direction::DeviceToDevice : Direction::HostToDevice;
    return is_device_address(from) ? Direction::DeviceToHost : Direction::HostToHost;
}

}  // namespace

EXPORT cuMemGetInfo_v2(size_t* free, size_t* total) {
    ENTER();
    *total = driver().switches.memory;
    *free = *total - std::min<uint64_t>(*total, driver().counters.bytes_in_use);
    return SUCCESS;
}
EXPORT cuMemAlloc_v2(uint64_t* out, size_t size) {
    ENTER();
    if (const int code = refuse_while_capturing()) return code;
    return allocate(out, size);
}
EXPORT cuMemFree_v2(uint64_t address) {
    ENTER();
    if (address == 0) return SUCCESS;
    if (const int code = refuse_while_capturing()) return code;
    // The device may still use the memory; the real call waits for it too.
    if (const int code = drain_all()) return code;
    if (const int code = begin_free(address)) return code;
    return free_device(address);
}
EXPORT cuMemAllocAsync(uint64_t* out, size_t size, void* stream) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    if (s->capture != nullptr) return CAPTURE_UNSUPPORTED;  // memory nodes of graphs are not emulated
    return allocate(out, size);
}
EXPORT cuMemAllocFromPoolAsync(uint64_t* out, size_t size, void*, void* stream) { return cuMemAllocAsync(out, size, stream); }
EXPORT cuMemFreeAsync(uint64_t address, void* stream) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    if (address == 0) return SUCCESS;
    if (s->capture != nullptr) return CAPTURE_UNSUPPORTED;
    if (const int code = begin_free(address)) return code;
    Work work;
    work.kind = WorkKind::Free;
    work.address = address;
    return submit(s, std::move(work));
}
EXPORT cuMemGetAddressRange_v2(uint64_t* base, size_t* size, uint64_t address) {
    ENTER();
    uint64_t b;
    size_t n;
    if (!allocation_of(address, &b, &n)) return NOT_FOUND;
    if (base != nullptr) *base = b;
    if (size != nullptr) *size = n;
    return SUCCESS;
}
EXPORT cuPointerGetAttribute(void* out, int attribute, uint64_t address) {
    ENTER();
    const bool device = is_device_address(address), pinned = is_pinned((void*)address, 1);
    if (!device && !pinned) return INVALID_VALUE;
    switch (attribute) {
        case 2: *(unsigned*)out = device ? 2 : 1; return SUCCESS;  // memory type
        case 3: *(uint64_t*)out = device ? address : 0; return device ? SUCCESS : INVALID_VALUE;
        case 9: *(int*)out = 0; return SUCCESS;  // device ordinal
        default: return NOT_SUPPORTED;
    }
}

EXPORT cuMemHostAlloc(void** out, size_t size, unsigned) {
    ENTER();
    if (const int code = refuse_while_capturing()) return code;
    return out == nullptr ? INVALID_VALUE : allocate_host(out, size);
}
EXPORT cuMemAllocHost_v2(void** out, size_t size) { return cuMemHostAlloc(out, size, 0); }
EXPORT cuMemFreeHost(void* pointer) {
    ENTER();
    if (const int code = refuse_while_capturing()) return code;
    if (const int code = drain_all()) return code;
    return free_host(pointer);
}
EXPORT cuMemHostRegister_v2(void* pointer, size_t size, unsigned) {
    ENTER();
    return register_host(pointer, size);
}
EXPORT cuMemHostUnregister(void* pointer) {
    ENTER();
    if (const int code = drain_all()) return code;
    return unregister_host(pointer);
}

EXPORT cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
    ENTER();
    return enqueue(linear(to, (uint64_t)from, bytes, Direction::HostToDevice), stream_of(stream));
}
EXPORT cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
    ENTER();
    return enqueue(linear((uint64_t)to, from, bytes, Direction::DeviceToHost), stream_of(stream));
}
EXPORT cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    ENTER();
    return enqueue(linear(to, from, bytes, Direction::DeviceToDevice), stream_of(stream));
}
EXPORT cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    ENTER();
    return enqueue(linear(to, from, bytes, direction_of(to, from)), stream_of(stream));
}
EXPORT cuMemcpyPeerAsync(uint64_t to, void*, uint64_t from, void*, size_t bytes, void* stream) {
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
EXPORT cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
    ENTER();
    return copy_now(linear(to, (uint64_t)from, bytes, Direction::HostToDevice));
}
EXPORT cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
    ENTER();
    return copy_now(linear((uint64_t)to, from, bytes, Direction::DeviceToHost));
}
EXPORT cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
    ENTER();
    return copy_now(linear(to, from, bytes, Direction::DeviceToDevice));
}
EXPORT cuMemcpy(uint64_t to, uint64_t from, size_t bytes) {
    ENTER();
    return copy_now(linear(to, from, bytes, direction_of(to, from)));
}
EXPORT cuMemcpy2DAsync_v2(const Memcpy2D* parameters, void* stream) {
    ENTER();
    Copy copy;
    if (const int code = read_2d(parameters, copy)) return code;
    return enqueue(std::move(copy), stream_of(stream));
}
EXPORT cuMemcpy2D_v2(const Memcpy2D* parameters) {
    ENTER();
    Copy copy;
    if (const int code = read_2d(parameters, copy)) return code;
    return copy_now(std::move(copy));
}
EXPORT cuMemcpy2DUnaligned_v2(const Memcpy2D* parameters) { return cuMemcpy2D_v2(parameters); }

#define FILL(bits, T, element)                                                                                        \
    EXPORT cuMemsetD##bits##Async(uint64_t to, T value, size_t count, void* stream) {                                \
        ENTER();                                                                                                     \
        return fill(to, 0, (unsigned)value, element, count, 1, stream_of(stream));                                   \
    }                                                                                                                \
    EXPORT cuMemsetD##bits##_v2(uint64_t to, T value, size_t count) {                                                \
        ENTER();                                                                                                     \
        return fill_now(to, 0, (unsigned)value, element, count, 1);                                                  \
    }                                                                                                                \
    EXPORT cuMemsetD2D##bits##Async(uint64_t to, size_t pitch, T value, size_t width, size_t height, void* stream) { \
        ENTER();                                                                                                     \
        return fill(to, pitch, (unsigned)value, element, width, height, stream_of(stream));                          \
    }
FILL(8, unsigned char, 1)
FILL(16, unsigned short, 2)
FILL(32, unsigned, 4)
