import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread of the operating system; a number identifies the thread.
struct ReactorThread: Sendable {
    /// The bits of the thread's handle, in the same type on every platform; never zero.
    let number: UInt

    /// The calling thread.
    static var current: ReactorThread {
        #if canImport(Darwin)
        ReactorThread(number: UInt(bitPattern: pthread_self()))
        #else
        ReactorThread(number: UInt(pthread_self()))
        #endif
    }

    /// Starts a thread, which must be joined.
    ///
    /// - Parameters:
    ///   - label: The thread's name, for `top -H` and debuggers.
    ///   - run: The thread's work; the closure is released when the work is done.
    /// - Throws: ``ZeroMQError`` with code `system` if the operating system cannot make another thread.
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
            throw Errors.thread(result)
        }
    }

    /// Waits until the thread has ended; call this method only once.
    func join() {
        #if canImport(Darwin)
        if let thread = pthread_t(bitPattern: number) { pthread_join(thread, nil) }
        #else
        pthread_join(pthread_t(number), nil)
        #endif
    }

    /// The name and the work of a thread that is being started.
    private final class Body {
        let label: String
        let run: @Sendable () -> Void

        init(label: String, run: @escaping @Sendable () -> Void) {
            self.label = label
            self.run = run
        }

        /// Runs the work on the new thread.
        ///
        /// `pthread_create` declares the argument as optional on some platforms only; this signature fits all platforms.
        static func enter(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let box else { return nil }
            let body = Unmanaged<Body>.fromOpaque(box).takeRetainedValue()
            czmq_name_thread(body.label)
            body.run()
            return nil
        }
    }
}
