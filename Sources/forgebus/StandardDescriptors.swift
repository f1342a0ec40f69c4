import Foundation

#if canImport(Musl)
import Musl
#endif

/// Standard input, output and error, as the program's caller left them.
enum StandardDescriptors {
    /// Makes writing to the standard descriptors safe; call this before anything else is opened.
    static func secure() {
        // A reader of the output or the log may leave: that must be an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // Otherwise the next file or socket would get the number of a closed one, and receive text meant for people.
        while case let descriptor = open("/dev/null", O_RDWR), descriptor >= 0 {
            guard descriptor > 2 else { continue }
            close(descriptor)
            return
        }
    }
}
