import ForgeBusProtocol
public import Instrumentation

extension ServiceContext {
    /// The W3C trace context that the task's requests carry as `traceparent`, for a program without an instrument.
    ///
    /// If an instrument has a trace context, the requests carry that instead.
    public var traceparent: String? {
        get { self[TraceparentKey.self] }
        set { self[TraceparentKey.self] = newValue }
    }

    /// The `traceparent` of this task's requests; nil if there is none, or if it is longer than a request may carry.
    ///
    /// A worker would refuse a request with a longer one, and a trace must not make a request fail.
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

/// Keeps the only trace header that FORGE/1 carries.
private struct TraceparentHeader: Sendable {
    var text: String?
}

private struct TraceparentInjector: Injector {
    func inject(_ value: String, forKey key: String, into header: inout TraceparentHeader) {
        // Names of headers have no case.
        if key.lowercased() == "traceparent" { header.text = value }
    }
}
