import ForgeBusProtocol
public import Instrumentation

extension ServiceContext {
    /// The W3C trace context of a program that has no instrument: what a request of the task carries as `traceparent`.
    ///
    /// An instrument's own comes first.
    public var traceparent: String? {
        get { self[TraceparentKey.self] }
        set { self[TraceparentKey.self] = newValue }
    }

    /// What a request of this task carries as `traceparent`; nil where there is nothing, or more than a request may carry.
    ///
    /// A worker would refuse a longer one, and no request fails for the sake of a trace.
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

/// Keeps the one header of a trace that FORGE/1 carries.
private struct TraceparentHeader: Sendable {
    var text: String?
}

private struct TraceparentInjector: Injector {
    func inject(_ value: String, forKey key: String, into header: inout TraceparentHeader) {
        // Names of headers have no case.
        if key.lowercased() == "traceparent" { header.text = value }
    }
}
