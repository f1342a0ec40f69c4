import ForgeBusStore
import Logging
import ZeroMQ

/// Opens the sockets of a worker and binds them.
extension WorkerLoop {
    /// Accepts new work from now on.
    func becomeReady(on reactor: isolated Reactor) { step(.ready, reactor) }

    /// The error with which the store failed; nil if it has not failed.
    func failure(on reactor: isolated Reactor) -> StoreError? { failure }

    /// The counters so far.
    func counters(on reactor: isolated Reactor) -> WorkerCounters { counters }

    /// Makes a loop with its own thread, and a socket that is not bound yet; a simulated worker has no socket.
    static func make(
        _ core: WorkerState,
        _ configuration: WorkerConfiguration,
        store: (any BusStore)?,
        audit: @escaping AuditSink,
        logger: Logger,
        simulation: (any Simulation)? = nil
    ) async throws(ZeroMQError) -> WorkerLoop {
        var options = ReactorOptions()
        // The reactor stays awake for messages that come soon: see `AwakeForAnswers`.
        options.busyPolling = .microseconds(30)
        // A LIST may take a thousand times as long as a PING. Without this limit, the 256 messages of one turn could all
        // be LIST requests, and delay all other work.
        options.timePerTurn = .milliseconds(5)
        ServerProcess.prepare()
        let reactor = try Reactor(label: "forge-bus", options: options)
        do throws(ZeroMQError) {
            let socket: Socket<Router>? =
                simulation == nil ? try await reactor.open(Router.self, options: socketOptions) : nil
            return WorkerLoop(
                core,
                on: reactor,
                socket: socket,
                store: store,
                audit: audit,
                logger: logger,
                simulation: simulation
            )
        } catch {
            await reactor.shutDown()
            throw error
        }
    }

    private static var socketOptions: SocketOptions {
        var options = SocketOptions(for: Router.self)
        // Without heartbeats: one on a connection that ended while libzmq did not read from it would end the process.
        // libzmq counts messages and not their bytes. For a peer that never reads, it keeps at most this number of small
        // answers, and one large answer. More answers wait in the worker's own lines, where bytes count. The number is not
        // smaller, because libzmq reports that messages have left a queue only after half of the queue has left. With a
        // smaller number, a client with 64 unanswered requests would wait for that report.
        options.sendHighWaterMark = 128
        return options
    }

    /// Binds the endpoints for requests and for publishers, so that only principals of the policy can connect.
    ///
    /// The endpoints of the previous key belong to the same sockets: libzmq copies a socket's keys at each bind.
    ///
    /// - Returns: The bound endpoints.
    /// - Throws: ``WorkerError`` with code `endpoint` if an endpoint cannot be bound, and with code `open_door` if an
    ///   unknown key can connect despite the keys.
    func bind(
        _ configuration: WorkerConfiguration,
        _ gate: ConnectionGate,
        _ monitors: [HostedMonitor]
    ) async throws(WorkerError) -> BoundEndpoints {
        var bound = BoundEndpoints()
        guard let socket else { return bound }
        let servers: Servers
        do throws(ZeroMQError) {
            servers = try await self.servers(configuration, gate)
            for endpoint in configuration.endpoints {
                bound.own.append(try await reactor.bind(socket, to: endpoint, as: servers.own))
            }
            if let (previous, server) = servers.previous {
                for endpoint in previous.endpoints {
                    bound.previous.append(try await reactor.bind(socket, to: endpoint, as: server))
                }
            }
        } catch {
            throw WorkerError(binding: error)
        }
        if case .keyed(let pair, _) = configuration.access { try await prove(bound.own, pair) }
        if let previous = configuration.previous { try await prove(bound.previous, previous.keys) }
        gate.watch { [self] finding in reactor.submit { [self] _ in door.take(finding) } }
        do throws(ZeroMQError) {
            (bound.publications, bound.previousPublications) = try await PublicationIntake.open(
                configuration,
                for: monitors,
                telling: self,
                as: servers
            )
            return bound
        } catch {
            throw WorkerError(binding: error)
        }
    }

    /// The keys and the authenticator of the sockets.
    struct Servers {
        /// The worker's own key; nil if access is local.
        var own: CurveServer?
        /// The worker's previous key with its endpoints and its authenticator; nil without a previous key.
        var previous: (PreviousKey, CurveServer)?
    }

    private func servers(
        _ configuration: WorkerConfiguration,
        _ gate: ConnectionGate
    ) async throws(ZeroMQError) -> Servers {
        guard case .keyed(let pair, _) = configuration.access else { return Servers() }
        let authenticator = try await reactor.authenticate(deciding: { gate.admits($0) })
        return Servers(
            own: CurveServer(keys: pair, authenticator: authenticator),
            previous: configuration.previous.map {
                ($0, CurveServer(keys: $0.keys, authenticator: authenticator))
            }
        )
    }

    /// Proves that an unknown key is refused at the endpoints of one of the worker's keys.
    private func prove(_ endpoints: [Endpoint], _ pair: KeyPair) async throws(WorkerError) {
        do throws(ZeroMQError) {
            // One endpoint is enough: all endpoints of a key belong to one socket with one mechanism. An `inproc` endpoint
            // has no encryption.
            guard let endpoint = endpoints.first(where: { !$0.text.hasPrefix("inproc://") }) else { return }
            try await reactor.verifyThatStrangersAreRefused(at: endpoint, server: pair.publicKey)
        } catch {
            throw Errors.strangersAdmitted(error.message, next: error.code == .insecure ? nil : error.next)
        }
    }
}

extension WorkerError {
    fileprivate init(binding error: ZeroMQError) { self.init(.endpoint, error.message, next: error.next) }
}

extension Reactor {
    /// Binds any endpoint with keys; without keys, only an endpoint that other machines cannot reach.
    func bind<Kind>(_ socket: Socket<Kind>, to endpoint: Endpoint, as server: CurveServer?) throws(ZeroMQError)
        -> Endpoint
    {
        guard let server else { return try bind(socket, to: LocalEndpoint(endpoint)) }
        return try bind(socket, to: endpoint, as: server)
    }
}
