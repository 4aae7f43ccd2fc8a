// Queues and their order. Whoever waits runs the work, in the waiting thread.
#include "stream.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "driver.h"
#include "fault.h"
#include "graph.h"
#include "memory.h"

namespace eagerflow {

namespace {

// The real driver, too, makes the caller wait when this much is pending.
constexpr size_t QUEUE_LIMIT = 4096;

std::set<Stream*>& streams() {
    static auto* set = new std::set<Stream*>;
    return *set;
}

Stream* default_stream() {
    static Stream* stream = create_stream(0, 0);
    return stream;
}

Stream* thread_stream() {
    static thread_local Stream* stream = create_stream(0, 0);
    return stream;
}

double milliseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

// What the default stream and the blocking ones owe each other before the work `sequence` may run.
int drain_ordered(Stream* stream, uint64_t sequence) {
    if (!stream->blocking) return SUCCESS;
    if (stream != default_stream()) return drain(default_stream(), sequence);
    int code = SUCCESS;
    const std::vector<Stream*> others(streams().begin(), streams().end());
    for (Stream* other : others)
        if (other != stream && other->blocking && code == SUCCESS) code = drain(other, sequence);
    return code;
}

int run_in_stream(Stream* stream, Work& work) {
    switch (work.kind) {
        case WorkKind::Record:
            work.event->done_ticket = std::max(work.event->done_ticket, work.ticket);
            work.event->done_at = milliseconds();
            return SUCCESS;
        case WorkKind::Wait: return drain_event(*work.event, work.ticket);
        default: (void)stream; return run_work(work);
    }
}

}  // namespace

Stream* stream_of(void* handle) {
    if ((uint64_t)handle <= 1) return default_stream();
    if ((uint64_t)handle == 2) return thread_stream();
    return streams().count((Stream*)handle) != 0 ? (Stream*)handle : nullptr;
}

std::vector<Stream*> all_streams() { return std::vector<Stream*>(streams().begin(), streams().end()); }

Stream* create_stream(unsigned flags, int priority) {
    static uint64_t ids = 0;
    Stream* stream = new Stream;
    stream->blocking = !(flags & 1);
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++ids;
    streams().insert(stream);
    return stream;
}

void destroy_stream(Stream* stream) {
    drain(stream);
    streams().erase(stream);
    delete stream;
}

int submit(Stream* stream, Work work) {
    if (stream->capture != nullptr) {
        if (!stream->capture->valid) return CAPTURE_INVALIDATED;
        Node* node = add_node(*stream->capture->graph, std::move(work), stream->tail);
        stream->tail = {node};
        return SUCCESS;
    }
    work.sequence = ++driver().sequence;
    stream->queue.push_back(std::move(work));
    if (stream->queue.size() > QUEUE_LIMIT) return drain(stream);
    return SUCCESS;
}

int drain(Stream* stream, uint64_t up_to) {
    if (stream->queue.empty() || stream->queue.front().sequence > up_to) return driver().lost;
    prepare_thread_for_faults();
    OpenMemory open;
    bool launched = false;
    while (!stream->queue.empty() && stream->queue.front().sequence <= up_to && driver().lost == SUCCESS) {
        if (drain_ordered(stream, stream->queue.front().sequence - 1) != SUCCESS || stream->queue.empty()) break;
        // Off the queue before it runs: a wait may come back to this stream.
        Work work = std::move(stream->queue.front());
        stream->queue.pop_front();
        launched |= work.kind == WorkKind::Kernel || work.kind == WorkKind::Graph;
        const int code = run_in_stream(stream, work);
        if (code != SUCCESS && driver().lost == SUCCESS) lose(code, "work in a stream failed with code " + std::to_string(code));
    }
    if (launched && driver().lost == SUCCESS) check_margins("after kernels ran");
    return driver().lost;
}

int drain_all() {
    int code = driver().lost;
    // By number, so that the order does not depend on addresses.
    std::vector<Stream*> all(streams().begin(), streams().end());
    std::sort(all.begin(), all.end(), [](Stream* a, Stream* b) { return a->id < b->id; });
    for (Stream* stream : all)
        if (code == SUCCESS) code = drain(stream);
    return code;
}

int drain_event(Event& event, uint64_t ticket) {
    if (event.done_ticket >= ticket || event.stream == nullptr) return driver().lost;
    std::vector<Stream*> all(streams().begin(), streams().end());
    for (Stream* stream : all) {
        for (const Work& work : stream->queue) {
            if (work.kind != WorkKind::Record || work.event.get() != &event || work.ticket != ticket) continue;
            return drain(stream, work.sequence);
        }
    }
    return driver().lost;
}

void drop_pending_work() {
    for (Stream* stream : streams()) {
        for (const Work& work : stream->queue)
            if (work.kind == WorkKind::Free) free_device(work.address);
        stream->queue.clear();
    }
}

uint64_t pending_work() {
    uint64_t count = 0;
    for (const Stream* stream : streams()) count += stream->queue.size();
    return count;
}

std::shared_ptr<Capture> find_capture(uint64_t id) {
    for (const Stream* stream : streams())
        if (stream->capture != nullptr && stream->capture->id == id) return stream->capture;
    return nullptr;
}

int& thread_capture_mode() {
    static thread_local int mode = 0;
    return mode;
}

int refuse_while_capturing() {
    if (thread_capture_mode() == 2) return SUCCESS;
    const uint64_t self = (uint64_t)syscall(SYS_gettid);
    int code = SUCCESS;
    for (const Stream* stream : streams()) {
        if (stream->capture == nullptr || stream->capture->mode == 2) continue;
        if (stream->capture->mode == 1 && stream->capture->thread != self) continue;
        stream->capture->valid = false;
        code = CAPTURE_UNSUPPORTED;
    }
    return code;
}

}  // namespace eagerflow
