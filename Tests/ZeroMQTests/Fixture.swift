import Foundation
import TestSupport
import Testing
import ZeroMQ

/// A transport that a test runs over.
enum Transport: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case tcp, ipc

    var testDescription: String { rawValue }

    /// An endpoint nobody else has.
    func endpoint(in directory: TemporaryDirectory) throws -> Endpoint {
        switch self {
        case .tcp: try Endpoint("tcp://\(Self.ownAddress):*")
        case .ipc: try Endpoint("ipc://\(directory.path)/socket")
        }
    }

    /// A loopback address at which nobody else gets a port that is given up and bound again.
    static var ownAddress: String {
        #if os(Linux)
        let part = { Int.random(in: 1...254) }
        return "127.\(part()).\(part()).\(part())"
        #else
        return "127.0.0.1"
        #endif
    }
}

extension Message {
    /// A message of one frame that holds a number.
    init(number: Int) {
        self.init()
        append(String(number))
    }

    /// The number in the first frame, or -1.
    var number: Int { Int(String(decoding: self[0], as: UTF8.self)) ?? -1 }
}

extension SocketOptions {
    /// The options of a ROUTER that keeps any number of answers for a peer that reads slowly.
    static var keepingAll: SocketOptions {
        var options = SocketOptions(for: Router.self)
        options.sendHighWaterMark = 0
        return options
    }
}

extension Reactor {
    /// Opens a ROUTER that sends every message back to where it came from.
    func startEcho(on endpoint: Endpoint) throws -> Endpoint {
        let router = try open(Router.self, options: .keepingAll)
        echo(router)
        return try bind(router, to: LocalEndpoint(endpoint))
    }

    /// Sends every message back to where it came from; `heard` gets it first.
    func echo(_ router: Socket<Router>, _ heard: @escaping (Message) -> Void = { _ in }) {
        receive(router) { [self] message in
            heard(message)
            reply(message, to: message, on: router)
        }
    }

    /// Records the numbers of a ROUTER's messages, and pauses it from within the handler of the last.
    func take(_ router: Socket<Router>, upTo last: Int, into received: Record<Int>) {
        receive(router) { [self] message in
            received.add(message.number)
            if message.number == last { pause(router) }
        }
    }

    /// Opens a DEALER and connects it.
    func dial(_ endpoint: Endpoint, options: SocketOptions = SocketOptions(for: Dealer.self)) throws -> Socket<Dealer> {
        let dealer = try open(Dealer.self, options: options)
        try connect(dealer, to: endpoint)
        return dealer
    }

    /// Waits until a DEALER's connection takes messages.
    nonisolated func writable(_ dealer: Socket<Dealer>) async {
        await withCheckedContinuation { continuation in
            submit { reactor in
                reactor.whenWritable(dealer) { continuation.resume() }
            }
        }
    }

    /// Lets a number of turns pass in which nothing has to happen.
    nonisolated func passTurns(_ count: Int) async {
        for _ in 0..<count {
            await withCheckedContinuation { continuation in
                submit { _ in continuation.resume() }
            }
        }
    }
}
