import ForgeBusClient
import ForgeBusProtocol
import Instrumentation
import Testing

@Suite("The trace of a task", .timeLimit(.minutes(30)))
struct TraceTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func traced(_ trace: String) -> ServiceContext {
        var context = ServiceContext.topLevel
        context.traceparent = trace
        return context
    }

    @Test("travels with each request, and with none outside it")
    func travels() async throws {
        try await scripted { _, request in
            switch request.command {
            case .notify: [.taken]
            default: [.begun(), .completed()]
            }
        } _: { worker, client async throws in
            try await client.notify("t")
            try await ServiceContext.withValue(traced(Self.trace)) {
                try await client.notify("t")
                _ = try await client.run("p")
                _ = try await client.start("p").result
            }
            #expect(worker.requests.values.map(\.traceparent) == [nil, Self.trace, Self.trace, Self.trace])
        }
    }

    @Test("comes from the instrument where there is one, whatever the case of its header")
    func instrument() async throws {
        try await scripted { _, _ in
            [.taken]
        } _: { worker, client async throws in
            let span = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-00"
            var context = traced(Self.trace)
            context[Span.self] = span
            HeaderInstrument.begin
            try await ServiceContext.withValue(context) { _ = try await client.notify("t") }
            #expect(worker.requests.values.map(\.traceparent) == [span])
        }
    }

    @Test("is left out where it is longer than a request may carry, and the request goes all the same")
    func tooLong() async throws {
        try await scripted { _, _ in
            [.taken]
        } _: { worker, client async throws in
            for size in [128, 129] {
                let trace = String(repeating: "0", count: size)
                try await ServiceContext.withValue(traced(trace)) { _ = try await client.notify("t") }
            }
            #expect(worker.requests.values.map { $0.traceparent?.count } == [128, nil])
        }
    }
}

private enum Span: ServiceContextKey {
    typealias Value = String
}

/// Puts the span of a context into a header, and does nothing for a context without one.
private struct HeaderInstrument: Instrument {
    /// A process has one instrument, for good.
    static let begin: Void = InstrumentationSystem.bootstrap(HeaderInstrument())

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        if let span = context[Span.self] { injector.inject(span, forKey: "Traceparent", into: &carrier) }
    }
}
