#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The name of one life of a publisher.
enum PublisherEpoch {
    /// A new one: the milliseconds since 1970, and 20 random bits that tell apart what begins in the same millisecond.
    ///
    /// It is greater than each before it as long as the clock is not set back; one that is not is a new one all the same.
    static func begin() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
        return milliseconds << 20 | UInt64.random(in: 0..<1 << 20)
    }
}
