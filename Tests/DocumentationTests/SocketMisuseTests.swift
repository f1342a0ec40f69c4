import Testing

/// What the documentation of ZeroMQ says does not compile.
@Suite("With sockets, what would be a mistake does not compile")
struct SocketMisuseTests {
    private static let mistakes = [
        Mistake(
            description: "using a socket on another thread than its reactor's",
            code: "func f(_ r: Reactor, _ s: Socket<Dealer>, _ m: Message) { r.send(m, on: s) }",
            message: "actor-isolated instance method"
        ),
        Mistake(
            description: "carrying the reactor's isolation into another task",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Pub>) { Task.detached { r.pollSet } }",
            message: "inaccessible"
        ),
        Mistake(
            description: "sending in a handler that is set from elsewhere",
            code: "func f(_ r: Reactor, _ s: Socket<Dealer>) async { await r.receive(s) { m in r.send(m, on: s) } }",
            message: "actor-isolated instance method"
        ),
        Mistake(
            description: "reaching for the socket itself",
            code: "func f(_ s: Socket<Dealer>) { _ = s.handle }",
            message: "has no member 'handle'"
        ),
        Mistake(
            description: "sending on a SUB",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Sub>, _ m: Message) { r.send(m, on: s) }",
            message: "SendingSocket"
        ),
        Mistake(
            description: "sending to nobody on a ROUTER",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Router>, _ m: Message) { r.send(m, on: s) }",
            message: "SendingSocket"
        ),
        Mistake(
            description: "receiving from a PUB",
            code: "func f(_ s: Socket<Pub>) { _ = s.messages }",
            message: "ReceivingSocket"
        ),
        Mistake(
            description: "publishing on a DEALER",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Dealer>, _ m: Message, _ t: TopicPrefix) "
                + "{ r.publish(m, under: t, on: s) }",
            message: "PublishingSocket"
        ),
        Mistake(
            description: "subscribing with a DEALER",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Dealer>) throws { try r.subscribe(s, to: []) }",
            message: "SubscribingSocket"
        ),
        Mistake(
            description: "pausing an XPUB, whose subscriptions would pile up",
            code: "func f(_ r: isolated Reactor, _ s: Socket<XPub>) { r.pause(s) }",
            message: "ReceivingSocket"
        ),
        Mistake(
            description: "binding without encryption where others can reach it",
            code: "func f(_ r: isolated Reactor, _ s: Socket<Router>, _ e: Endpoint) throws { try r.bind(s, to: e) }",
            message: "'LocalEndpoint'"
        ),
        Mistake(
            description: "serving CURVE without an authenticator",
            code: "let server = CurveServer(keys: KeyPair())",
            message: "authenticator"
        ),
        Mistake(
            description: "making an authenticator that nobody answers for",
            code:
                "func f(_ s: Socket<Router>, _ r: Reactor) { _ = Authenticator(context: ObjectIdentifier(r), socket: s) }",
            message: "inaccessible"
        ),
        Mistake(
            description: "publishing under a bare text",
            code:
                "func f(_ r: isolated Reactor, _ s: Socket<Pub>, _ m: Message) { r.publish(m, under: \"job.1\", on: s) }",
            message: "'TopicPrefix'"
        ),
    ]

    /// What only the check for data races refuses, which runs when everything else is right.
    private static let races = [
        Mistake(
            description: "sharing a variable with a handler",
            code: "final class C { var n = 0 }\n"
                + "func f(_ r: Reactor, _ s: Socket<Dealer>, _ c: C) async { await r.receive(s) { _ in c.n += 1 } }",
            message: "data races"
        ),
        Mistake(
            description: "keeping an object for oneself that lives on a reactor",
            code: "final class C {}\n"
                + "func f(_ r: Reactor) -> C { let c = C(); _ = Resident(c, on: r); return c }",
            message: "data races"
        ),
    ]

    @Test("is refused by the compiler")
    func isRefused() async throws {
        try await Self.mistakes.areRefused(importing: "ZeroMQ")
        try await Self.races.areRefused(importing: "ZeroMQ")
    }
}
