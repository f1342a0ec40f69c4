import ForgeBusWorker
import Foundation
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Gives back the pages of the program's file that only its start has touched, a moment after the worker serves.
///
/// The program holds its runtime in itself, and while it starts, the runtime looks through most of it; an idle worker needs
/// a small part. Instructions are clean pages of a file: one that is needed again is mapped again, at the price of a page fault.
struct StartupPages: Service {
    let worker: BusWorker

    /// By then each monitor has had its cycle at start, which begins within a second.
    private static let delay = Duration.seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard (try? await worker.endpoints) != nil, (try? await Task.sleep(for: Self.delay)) != nil else { return }
            Self.release()
        }
        // A service that returns would end its group.
        try? await gracefulShutdown()
    }

    /// Unmaps the instructions of the program's own file.
    private static func release() {
        #if os(Linux)
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        else { return }
        for line in maps.split(separator: "\n") where line.hasSuffix(" " + program) {
            let fields = line.split(separator: " ", maxSplits: 2)
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            // Only instructions: what is read-only beside them was written once, when the program was loaded.
            guard bounds.count == 2, fields[1].hasPrefix("r-x") else { continue }
            madvise(UnsafeMutableRawPointer(bitPattern: bounds[0]), Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
        #endif
    }
}
