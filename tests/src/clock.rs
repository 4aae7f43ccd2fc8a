//! The time that the calling thread has had a processor, which others that keep the machine busy do not lengthen.
//! Tests of how work grows take it where all of the work is done by the thread that asks for it.

/// Seconds since the thread began; those of the clock on the wall where the system does not tell.
pub fn thread_seconds() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(target_os = "linux"))]
    {
        use std::sync::LazyLock;
        use std::time::Instant;
        static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        BEGIN.elapsed().as_secs_f64()
    }
}
