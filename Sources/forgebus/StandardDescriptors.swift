import Foundation

#if canImport(Musl)
import Musl
#endif

/// Standard input, output and error: whatever whoever started the program has made of them.
enum StandardDescriptors {
    /// Sees to it that writing to them harms nothing; to be called before anything else is opened.
    static func secure() {
        // Whoever reads the output or the log may go: that is an error where it is written, and not the end.
        signal(SIGPIPE, SIG_IGN)
        // The number of one that is closed would be that of the next file or socket, and get what is meant for people.
        while case let descriptor = open("/dev/null", O_RDWR), descriptor >= 0 {
            guard descriptor > 2 else { continue }
            close(descriptor)
            return
        }
    }
}
