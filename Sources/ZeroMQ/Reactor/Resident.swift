/// An object that lives on a reactor: any thread may keep it, and only code on the reactor's thread can use it.
///
/// The object need not be `Sendable`: handlers of the reactor's sockets and timers use it directly, and other threads by
/// ``submit(_:)`` and ``run(_:)``.
///
/// ```swift
/// import ZeroMQ
///
/// final class Counter { var count = 0 }
///
/// func count(_ pull: Socket<Router>, on reactor: Reactor) async throws -> Int {
///     let counter = Resident(Counter(), on: reactor)
///     await counter.run { reactor, counter in
///         reactor.receive(pull) { _ in counter.count += 1 }
///     }
///     return await counter.run { _, counter in counter.count }
/// }
/// ```
public struct Resident<Object: AnyObject>: Sendable {
    /// The reactor.
    public let reactor: Reactor

    /// Handed out only on the reactor's thread, and nobody else has it: see the initializer.
    private nonisolated(unsafe) let object: Object

    /// Moves an object to a reactor.
    ///
    /// - Parameters:
    ///   - object: The object; the compiler checks that nothing else refers to it.
    ///   - reactor: The reactor.
    public init(_ object: sending Object, on reactor: Reactor) {
        (self.object, self.reactor) = (object, reactor)
    }

    /// Runs a closure with the object on the reactor's thread as soon as possible; see ``Reactor/submit(_:)``.
    ///
    /// - Parameter work: The closure; it must not block.
    /// - Returns: Whether the closure will run: false after the reactor was shut down.
    @discardableResult
    public func submit(_ work: @escaping @Sendable (isolated Reactor, Object) -> Void) -> Bool {
        reactor.submit { [self] reactor in work(reactor, object) }
    }

    /// Runs a closure with the object on the reactor's thread, and returns its result.
    ///
    /// - Parameter body: The closure; it must not block.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable (isolated Reactor, Object) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await reactor.run { reactor throws(Failure) in try body(reactor, object) }
    }
}
