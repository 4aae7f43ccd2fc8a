// Streams are lazy: work lies in a queue until someone waits for it, so that a missing wait shows. Events mark places
// in queues.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "work.h"

namespace eagerflow {

struct Graph;
struct Node;
struct Stream;

struct Event {
    Stream* stream = nullptr;    // of the last record
    uint64_t ticket = 0;         // number of the last record, 0: never recorded
    uint64_t done_ticket = 0;    // the last record that has been passed
    double done_at = 0;          // milliseconds
    bool timing = true;
    // A record inside a capture: which nodes it stands for.
    uint64_t capture = 0;
    std::vector<Node*> capture_nodes;
};

enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

struct Capture {
    uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    Stream* origin = nullptr;
    int mode = 0;  // 0 global, 1 thread local, 2 relaxed
    uint64_t thread = 0;
    bool valid = true;
};

struct Stream {
    std::deque<Work> queue;
    bool blocking = true;  // ordered with the default stream
    unsigned flags = 0;
    int priority = 0;
    uint64_t id = 0;
    std::shared_ptr<Capture> capture;
    std::vector<Node*> tail;  // of the capture: what the next node depends on
};

// The stream behind a handle; 0 and 1 are the default stream, 2 the thread's. Null: no such stream.
Stream* stream_of(void* handle);
std::vector<Stream*> all_streams();
Stream* create_stream(unsigned flags, int priority);
void destroy_stream(Stream* stream);

// Queues work, or adds a node where the stream is capturing.
int submit(Stream* stream, Work work);
// Runs what the stream has queued, up to the work with this sequence number.
int drain(Stream* stream, uint64_t up_to = UINT64_MAX);
int drain_all();
// Runs until the record with this ticket has been passed.
int drain_event(Event& event, uint64_t ticket);
void drop_pending_work();
uint64_t pending_work();

// Whether the calling thread is in a capture that forbids calls which wait or allocate; such a call spoils the capture.
// The mode that `cuThreadExchangeStreamCaptureMode` set; a relaxed thread (2) is refused nothing.
int& thread_capture_mode();
int refuse_while_capturing();
std::shared_ptr<Capture> find_capture(uint64_t id);

}  // namespace eagerflow
