#if Failpoints
import Foundation
import Synchronization
#endif

/// A named point in the code at which a test can kill the process, to check which data survives.
///
/// In a build with the package trait `Failpoints`, the environment variable `FORGE_FAILPOINT` selects a failpoint by
/// its name. That name may be followed by `:N`, which selects the N-th time that the code reaches the failpoint;
/// without it, the first time counts. The process then ends as after `kill -9`. In any other build a failpoint does
/// nothing.
package struct Failpoint: Sendable {
    #if Failpoints
    private struct Armed {
        var name: String
        var remaining: Int
    }

    private static let armed = Mutex(Failpoint.read(ProcessInfo.processInfo.environment["FORGE_FAILPOINT"]))

    private static func read(_ text: String?) -> Armed? {
        guard let text, !text.isEmpty else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        return Armed(name: String(parts[0]), remaining: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
    }
    #endif

    /// Ends the process if `FORGE_FAILPOINT` selects the failpoint `name` and this call; otherwise does nothing.
    @inline(__always)
    package static func hit(_ name: StaticString) {
        #if Failpoints
        let dies = armed.withLock { armed -> Bool in
            guard armed?.name == name.description else { return false }
            armed?.remaining -= 1
            return armed?.remaining == 0
        }
        if dies { kill(getpid(), SIGKILL) }
        #endif
    }
}
