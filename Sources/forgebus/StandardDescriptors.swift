import Foundation

#if canImport(Musl)
import Musl
#endif

/// Standard input, output and error, as the caller of the program left them.
enum StandardDescriptors {
    /// Makes writing to them safe; call it before anything else is opened.
    static func secure() {
        // A reader of the output or the log may leave: that is an error where it is written, and not the end.
        signal(SIGPIPE, SIG_IGN)
        // The number of one that is closed would be that of the next file or socket, and get what is meant for people.
        while case let descriptor = open("/dev/null", O_RDWR), descriptor >= 0 {
            guard descriptor > 2 else { continue }
            close(descriptor)
            return
        }
    }
}
