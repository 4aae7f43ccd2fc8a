// Entry points: streams, events and the capture of streams.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "driver.h"
#include "graph.h"
#include "stream.h"

using namespace eagerflow;

namespace {

std::map<void*, std::shared_ptr<Event>>& events() {
    static auto* map = new std::map<void*, std::shared_ptr<Event>>;
    return *map;
}
std::shared_ptr<Event> event_of(void* handle) {
    auto found = events().find(handle);
    return found == events().end() ? nullptr : found->second;
}
uint64_t self() { return (uint64_t)syscall(SYS_gettid); }

// A call that waits for a stream that is being captured spoils the capture.
int refuse_capturing(Stream* stream) {
    if (stream->capture == nullptr) return SUCCESS;
    stream->capture->valid = false;
    return CAPTURE_UNSUPPORTED;
}

bool holds(const Graph& graph, const Node* node) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](auto& own) { return own.get() == node; });
}

void reaches(Node* node, std::set<Node*>& seen) {
    std::vector<Node*> todo = {node};
    while (!todo.empty()) {
        Node* next = todo.back();
        todo.pop_back();
        if (!seen.insert(next).second) continue;
        todo.insert(todo.end(), next->dependencies.begin(), next->dependencies.end());
    }
}

}  // namespace

EXPORT cuStreamCreate(void** out, unsigned flags) {
    ENTER();
    if (out == nullptr || flags > 1) return INVALID_VALUE;
    *out = create_stream(flags, 0);
    return SUCCESS;
}
EXPORT cuStreamCreateWithPriority(void** out, unsigned flags, int priority) {
    ENTER();
    if (out == nullptr || flags > 1) return INVALID_VALUE;
    *out = create_stream(flags, priority);
    return SUCCESS;
}
EXPORT cuStreamDestroy_v2(void* stream) {
    ENTER(true);
    Stream* s = stream_of(stream);
    if (s == nullptr || (uint64_t)stream <= 2) return INVALID_HANDLE;
    destroy_stream(s);
    return SUCCESS;
}
EXPORT cuStreamSynchronize(void* stream) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    if (const int code = refuse_capturing(s)) return code;
    driver().counters.synchronizations++;
    return drain(s);
}
EXPORT cuStreamQuery(void* stream) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    if (const int code = refuse_capturing(s)) return code;
    if (s->queue.empty()) return SUCCESS;
    // Not ready now, but soon, so that whoever polls comes to an end.
    if (const int code = drain(s)) return code;
    return NOT_READY;
}
EXPORT cuStreamGetFlags(void* stream, unsigned* flags) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    *flags = s->flags;
    return SUCCESS;
}
EXPORT cuStreamGetPriority(void* stream, int* priority) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    *priority = s->priority;
    return SUCCESS;
}
EXPORT cuStreamGetId(void* stream, unsigned long long* id) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr) return INVALID_HANDLE;
    *id = s->id;
    return SUCCESS;
}
EXPORT cuStreamWaitEvent(void* stream, void* event, unsigned) {
    ENTER();
    Stream* s = stream_of(stream);
    auto e = event_of(event);
    if (s == nullptr || e == nullptr) return INVALID_HANDLE;
    if (e->capture != 0) {
        auto capture = find_capture(e->capture);
        if (capture == nullptr) return INVALID_VALUE;
        if (s->capture != nullptr && s->capture != capture) return CAPTURE_ISOLATION;
        if (s->capture == nullptr) s->tail.clear();
        s->capture = capture;
        for (Node* node : e->capture_nodes)
            if (std::find(s->tail.begin(), s->tail.end(), node) == s->tail.end()) s->tail.push_back(node);
        return SUCCESS;
    }
    if (s->capture != nullptr) return refuse_capturing(s) == SUCCESS ? SUCCESS : CAPTURE_ISOLATION;
    if (e->ticket == 0) return SUCCESS;
    Work work;
    work.kind = WorkKind::Wait;
    work.event = e;
    work.ticket = e->ticket;
    return submit(s, std::move(work));
}
EXPORT cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || function == nullptr) return INVALID_VALUE;
    Work work;
    work.kind = WorkKind::Call;
    work.call = [function, data] {
        function(data);
        return (int)SUCCESS;
    };
    return submit(s, std::move(work));
}
EXPORT cuStreamAttachMemAsync(void*, uint64_t, size_t, unsigned) {
    ENTER();
    return NOT_SUPPORTED;  // there is no managed memory
}

EXPORT cuEventCreate(void** out, unsigned flags) {
    ENTER();
    if (out == nullptr) return INVALID_VALUE;
    auto event = std::make_shared<Event>();
    event->timing = !(flags & 2);
    *out = event.get();
    events()[*out] = event;
    return SUCCESS;
}
EXPORT cuEventDestroy_v2(void* event) {
    ENTER(true);
    return events().erase(event) == 1 ? SUCCESS : INVALID_HANDLE;
}
EXPORT cuEventRecord(void* event, void* stream) {
    ENTER();
    Stream* s = stream_of(stream);
    auto e = event_of(event);
    if (s == nullptr || e == nullptr) return INVALID_HANDLE;
    if (s->capture != nullptr) {
        if (!s->capture->valid) return CAPTURE_INVALIDATED;
        e->capture = s->capture->id;
        e->capture_nodes = s->tail;
        return SUCCESS;
    }
    e->capture = 0;
    e->capture_nodes.clear();
    e->stream = s;
    e->ticket++;
    Work work;
    work.kind = WorkKind::Record;
    work.event = e;
    work.ticket = e->ticket;
    return submit(s, std::move(work));
}
EXPORT cuEventRecordWithFlags(void* event, void* stream, unsigned) { return cuEventRecord(event, stream); }
EXPORT cuEventSynchronize(void* event) {
    ENTER();
    auto e = event_of(event);
    if (e == nullptr) return INVALID_HANDLE;
    if (e->capture != 0) return CAPTURED_EVENT;
    driver().counters.synchronizations++;
    return e->ticket == 0 ? SUCCESS : drain_event(*e, e->ticket);
}
EXPORT cuEventQuery(void* event) {
    ENTER();
    auto e = event_of(event);
    if (e == nullptr) return INVALID_HANDLE;
    if (e->capture != 0) return CAPTURED_EVENT;
    if (e->done_ticket >= e->ticket) return SUCCESS;
    if (const int code = drain_event(*e, e->ticket)) return code;
    return NOT_READY;
}
EXPORT cuEventElapsedTime_v2(float* out, void* from, void* to) {
    ENTER();
    auto a = event_of(from), b = event_of(to);
    if (a == nullptr || b == nullptr || a->ticket == 0 || b->ticket == 0 || !a->timing || !b->timing) return INVALID_HANDLE;
    if (a->done_ticket < a->ticket || b->done_ticket < b->ticket) return NOT_READY;
    *out = (float)(b->done_at - a->done_at);
    return SUCCESS;
}
EXPORT cuEventElapsedTime(float* out, void* from, void* to) { return cuEventElapsedTime_v2(out, from, to); }

static int begin_capture(void* stream, std::shared_ptr<Graph> graph, std::vector<Node*> after, int mode) {
    static uint64_t ids = 0;
    Stream* s = stream_of(stream);
    if (s == nullptr || mode < 0 || mode > 2) return INVALID_VALUE;
    if ((uint64_t)stream <= 1) return CAPTURE_UNSUPPORTED;  // the default stream cannot be captured
    if (s->capture != nullptr) return ILLEGAL_STATE;
    s->capture = std::make_shared<Capture>();
    s->capture->id = ++ids;
    s->capture->graph = std::move(graph);
    s->capture->origin = s;
    s->capture->mode = mode;
    s->capture->thread = self();
    s->capture->graph->recorded_into = true;
    s->tail = std::move(after);
    return SUCCESS;
}
EXPORT cuStreamBeginCapture_v2(void* stream, int mode) {
    ENTER();
    return begin_capture(stream, std::make_shared<Graph>(), {}, mode);
}
EXPORT cuStreamBeginCaptureToGraph(void* stream, void* graph, Node** after, const void*, size_t count, int mode) {
    ENTER();
    auto g = graph_of(graph);
    if (g == nullptr || g->recorded_into) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!holds(*g, after[i])) return INVALID_VALUE;
    return begin_capture(stream, g, std::vector<Node*>(after, after + count), mode);
}
EXPORT cuStreamEndCapture(void* stream, void** graph) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || graph == nullptr) return INVALID_VALUE;
    *graph = nullptr;
    if (s->capture == nullptr) return ILLEGAL_STATE;
    auto capture = s->capture;
    if (capture->origin != s) return CAPTURE_UNMATCHED;
    if (capture->mode != 2 && capture->thread != self()) return CAPTURE_WRONG_THREAD;
    std::set<Node*> joined;
    for (Node* node : s->tail) reaches(node, joined);
    bool unjoined = false;
    for (Stream* other : all_streams()) {
        if (other->capture != capture) continue;
        for (Node* node : other->tail) unjoined |= joined.count(node) == 0;
        other->capture = nullptr;
        other->tail.clear();
    }
    capture->graph->recorded_into = false;
    if (!capture->valid || unjoined) return capture->valid ? CAPTURE_UNJOINED : CAPTURE_INVALIDATED;
    *graph = register_graph(capture->graph);
    return SUCCESS;
}
EXPORT cuStreamIsCapturing(void* stream, int* status) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || status == nullptr) return INVALID_VALUE;
    *status = (int)(s->capture == nullptr ? CaptureStatus::None : s->capture->valid ? CaptureStatus::Active : CaptureStatus::Invalidated);
    return SUCCESS;
}
EXPORT cuStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph, const void*** nodes, size_t* count) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || status == nullptr) return INVALID_VALUE;
    *status = (int)(s->capture == nullptr ? CaptureStatus::None : s->capture->valid ? CaptureStatus::Active : CaptureStatus::Invalidated);
    if (s->capture == nullptr) return SUCCESS;
    if (id != nullptr) *id = s->capture->id;
    if (graph != nullptr) *graph = register_graph(s->capture->graph);
    if (nodes != nullptr) *nodes = (const void**)s->tail.data();
    if (count != nullptr) *count = s->tail.size();
    return SUCCESS;
}
EXPORT cuStreamGetCaptureInfo_v3(void* stream, int* status, unsigned long long* id, void** graph, const void*** nodes, const void** edges, size_t* count) {
    if (edges != nullptr) *edges = nullptr;
    return cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}
EXPORT cuStreamUpdateCaptureDependencies_v2(void* stream, Node** nodes, const void*, size_t count, unsigned flags) {
    ENTER();
    Stream* s = stream_of(stream);
    if (s == nullptr || flags > 1 || (count > 0 && nodes == nullptr)) return INVALID_VALUE;
    if (s->capture == nullptr) return ILLEGAL_STATE;
    if (!s->capture->valid) return CAPTURE_INVALIDATED;
    for (size_t i = 0; i < count; i++)
        if (!holds(*s->capture->graph, nodes[i])) return INVALID_VALUE;
    if (flags == 1) s->tail.clear();
    for (size_t i = 0; i < count; i++)
        if (std::find(s->tail.begin(), s->tail.end(), nodes[i]) == s->tail.end()) s->tail.push_back(nodes[i]);
    return SUCCESS;
}
EXPORT cuThreadExchangeStreamCaptureMode(int* mode) {
    ENTER();
    std::swap(*mode, thread_capture_mode());
    return SUCCESS;
}
