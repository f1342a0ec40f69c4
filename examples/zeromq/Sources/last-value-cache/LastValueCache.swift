import ZeroMQ

/// A proxy between publishers and subscribers that tells each new subscriber the latest value of its topic.
///
///     last-value-cache FRONT BACK
///
/// Publishers connect to FRONT and subscribers to BACK. A message is a topic and a value, of any bytes.
@main
struct Program {
    static func main() async throws {
        try await withReactor("last-value-cache") { reactor in
            let (front, back) = (try await reactor.open(XSub.self), try await reactor.open(XPub.self))
            try await reactor.subscribe(front, to: [.everything])
            await reactor.run { reactor in Cache().start(front, back, on: reactor) }
            print(try await reactor.bind(front, to: LocalEndpoint(CommandLine.arguments[1])))
            print(try await reactor.bind(back, to: LocalEndpoint(CommandLine.arguments[2])))
            // Until the process is ended.
            try await Task.sleep(for: .seconds(1_000_000))
        }
    }
}

/// The latest message of each topic; it lives on the reactor's thread.
final class Cache {
    private var latest: [[UInt8]: Message] = [:]

    func start(_ front: Socket<XSub>, _ back: Socket<XPub>, on reactor: isolated Reactor) {
        reactor.receive(front) { [self] message in
            latest[Array(message[0])] = message
            reactor.send(message, on: back)
        }
        reactor.receive(back) { [self] event in
            guard case .subscribed(let prefix) = event else { return }
            for (topic, message) in latest where topic.starts(with: prefix) { reactor.send(message, on: back) }
        }
    }
}
