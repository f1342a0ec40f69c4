import Foundation

#if canImport(Musl)
import Musl
#endif

/// Standard input, output and error, which the program's caller may have closed.
enum StandardDescriptors {
    /// Makes writing to the standard descriptors safe; call this before anything else is opened.
    static func secure() {
        // If the reader of the output or the log leaves, the write must fail; the process must not end.
        signal(SIGPIPE, SIG_IGN)
        // If a standard descriptor is closed, the next file or socket would get its number, and receive text for
        // people.
        while case let descriptor = open("/dev/null", O_RDWR), descriptor >= 0 {
            guard descriptor > 2 else { continue }
            close(descriptor)
            return
        }
    }
}
