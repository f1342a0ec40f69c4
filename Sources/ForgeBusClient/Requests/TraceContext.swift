import ForgeBusProtocol
public import Instrumentation

extension ServiceContext {
    /// The W3C trace context for the requests of a task, in a program that has no tracing instrument.
    ///
    /// A request carries this text as `traceparent`, unless an instrument of the process provides a `traceparent`.
    public var traceparent: String? {
        get { self[TraceparentKey.self] }
        set { self[TraceparentKey.self] = newValue }
    }

    /// The `traceparent` for requests of the current task; nil if there is none, or if it is empty or longer than 128
    /// bytes.
    ///
    /// The worker would refuse a request with a longer `traceparent`, and a trace must not make a request fail.
    static var currentTraceparent: String? {
        guard let context = current else { return nil }
        var header = TraceparentHeader()
        InstrumentationSystem.instrument.inject(context, into: &header, using: TraceparentInjector())
        guard let text = header.text ?? context.traceparent, !text.isEmpty,
            text.utf8.count <= WireLimits.commonAttributeSizeInBytes
        else { return nil }
        return text
    }
}

private enum TraceparentKey: ServiceContextKey {
    typealias Value = String
    static let nameOverride: String? = "traceparent"
}

/// Stores the one trace header that the protocol carries.
private struct TraceparentHeader: Sendable {
    var text: String?
}

private struct TraceparentInjector: Injector {
    func inject(_ value: String, forKey key: String, into header: inout TraceparentHeader) {
        // Header names are case-insensitive.
        if key.lowercased() == "traceparent" { header.text = value }
    }
}
