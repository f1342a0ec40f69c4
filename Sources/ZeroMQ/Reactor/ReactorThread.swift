import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread of the operating system, by its number.
struct ReactorThread: Sendable {
    /// The handle's bits: as good as the handle, and unlike it the same type on every platform.
    ///
    /// Never zero.
    let number: UInt

    /// The thread that asks.
    static var current: ReactorThread {
        #if canImport(Darwin)
        ReactorThread(number: UInt(bitPattern: pthread_self()))
        #else
        ReactorThread(number: UInt(pthread_self()))
        #endif
    }

    /// Starts a thread, which somebody has to join.
    ///
    /// - Parameters:
    ///   - label: Its name, for `top -H` and debuggers.
    ///   - run: What it does; released when it is done.
    /// - Throws: ``ZeroMQError`` with code `system` when the operating system has no room for it.
    static func start(label: String, _ run: @escaping @Sendable () -> Void) throws(ZeroMQError) {
        let box = Unmanaged.passRetained(Body(label: label, run: run))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = pthread_create(&thread, nil, { Body.enter($0) }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw ZeroMQError(
                .system,
                "The reactor's thread could not be started: \(ZeroMQError.text(result)).",
                next: "Raise the limit of threads, or use fewer reactors."
            )
        }
    }

    /// Waits until the thread is gone.
    ///
    /// To be called once.
    func join() {
        #if canImport(Darwin)
        if let thread = pthread_t(bitPattern: number) { pthread_join(thread, nil) }
        #else
        pthread_join(pthread_t(number), nil)
        #endif
    }

    /// What a thread runs, and the box it travels in.
    private final class Body {
        let label: String
        let run: @Sendable () -> Void

        init(label: String, run: @escaping @Sendable () -> Void) {
            self.label = label
            self.run = run
        }

        /// The argument is optional on one platform and not on the other; this takes both.
        static func enter(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let box else { return nil }
            let body = Unmanaged<Body>.fromOpaque(box).takeRetainedValue()
            czmq_name_thread(body.label)
            body.run()
            return nil
        }
    }
}
