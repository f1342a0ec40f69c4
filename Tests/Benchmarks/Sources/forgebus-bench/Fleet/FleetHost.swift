import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Foundation
import Logging
import Subprocess
import ZeroMQ

/// A process that hosts workers of a fleet, so that the asker's own figures contain nothing of them.
///
/// It prints a line for each worker (name, endpoint, public key), and ends with its standard input.
enum FleetHost {
    /// The command-line words that make this program such a process.
    enum Kind: String {
        /// Workers with one monitor each.
        case real = "host-real-workers"
        /// Sockets that answer as such a worker does, with a reactor for all.
        case simulated = "host-simulated-workers"
    }

    /// Hosts workers, as the words after the kind say: the number of the first one, how many, and the keys of the operator
    /// and of the gateway.
    static func serve(_ kind: Kind, _ words: [String]) async throws {
        guard words.count == 3, let first = Int(words[0]), let count = Int(words[1]) else {
            throw TransportMeasureFailure(description: "A host of workers needs a number, a count and a key.")
        }
        let askers = try words[2].split(separator: ",").map { try PublicKey(String($0)) }
        let names = try (first..<first + count).map { try Name("node-\($0)") }
        switch kind {
        case .real: try await real(names, askers)
        case .simulated: try await simulated(names, askers)
        }
    }

    private static func tell(_ name: Name, _ endpoint: Endpoint, _ keys: KeyPair) {
        // `print` would keep the line until its buffer is full.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(name) \(endpoint) \(keys.publicKey)\n".utf8))
    }

    private static func awaitEnd() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while readLine() != nil {}
                continuation.resume()
            }
        }
    }

    private static func real(_ names: [Name], _ askers: [PublicKey]) async throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let policy = try AccessPolicy([
            .init("operator", keys: [askers[0]], grants: AccessPolicy.Grants([.notify: all, .read: all, .run: all])),
            .init("gateway", keys: [askers[1]], grants: AccessPolicy.Grants([.actAs: .init(allow: ["read.operator"])])),
        ])
        var tasks: [Task<Void, any Error>] = []
        for name in names {
            let keys = KeyPair()
            var configuration = WorkerConfiguration(name: name.text, endpoints: [try Endpoint("tcp://127.0.0.1:*")])
            (configuration.access, configuration.startJitter) = (.keyed(keys, policy), .zero)
            let monitor = MonitorOrchestrator()
            monitor.register(NoViolation())
            let hosted = HostedMonitor("password-age", monitor, topics: ["policy.>"])
            let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
            let worker = try BusWorker(configuration, monitors: [hosted], logger: logger)
            tasks.append(Task { try await worker.run() })
            guard let endpoint = try await worker.endpoints.first else { continue }
            tell(name, endpoint, keys)
        }
        await awaitEnd()
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
    }

    private static func simulated(_ names: [Name], _ askers: [PublicKey]) async throws {
        var options = ReactorOptions()
        options.maximumSockets = 3 * names.count + 16
        let reactor = try Reactor(label: "simulated", options: options)
        let authenticator = try await reactor.authenticate(AllowedKeys(Set(askers)))
        for name in names {
            let keys = KeyPair()
            let server = CurveServer(keys: keys, authenticator: authenticator)
            let endpoint = try await reactor.simulate(name, server)
            tell(name, endpoint, keys)
        }
        await awaitEnd()
        await reactor.shutDown(flushing: .zero)
    }
}

private struct NoViolation: MonitorAction {
    let id: ActionID = "check"
    let priority: ActionPriority = .medium

    func shouldRun() async -> Bool { false }
    func execute() async {}
}

extension Reactor {
    /// Opens a socket that answers HELLO, PING, NOTIFY and LIST as a worker whose monitor has converged.
    fileprivate func simulate(_ name: Name, _ server: CurveServer) throws -> Endpoint {
        let router = try open(Router.self)
        receive(router) { [self] message in
            guard message.count == 5 else { return }
            let frames = Frames(
                command: message[0],
                id: message[1],
                subject: message[2],
                attributes: message[3],
                body: message[4]
            )
            guard let request = try? Request(decoding: frames) else { return }
            for content in FleetHost.answers(of: name, to: request) {
                var buffer = FrameBuffer()
                Answer(to: request.id, content).encode(into: &buffer)
                reply(Message(buffer.frames.all.map(Array.init)), to: message, on: router)
            }
        }
        return try bind(router, to: try Endpoint("tcp://127.0.0.1:*"), as: server)
    }
}

extension FleetHost {
    fileprivate static func answers(of name: Name, to request: Request) -> [Answer.Content] {
        switch request.command {
        case .hello:
            let welcome = Welcome(
                worker: name.text,
                state: .ready,
                durability: .memory,
                retention: .seconds(3600),
                features: [Welcome.actingFor, Welcome.lastCycle],
                limits: [:]
            )
            return [.welcome(welcome)]
        case .notify:
            let part = Evaluation.Monitor(monitor: "password-age", cycle: 1, state: .ran, actions: [])
            return [
                .accepted(.notification(durability: .memory, monitors: 1)), .evaluated(Evaluation(monitors: [part])),
            ]
        case .list:
            let last = LastCycle(beganAgo: .seconds(1), took: .zero, state: .ran)
            let item = MonitorItem("password-age", topics: ["policy.>"], state: .idle, cycles: 1, last: last)
            return [.page(Page(items: [item.json]))]
        case .ping: return [.pong(Pong(worker: name.text, state: .ready))]
        default: return []
        }
    }
}
