import ZeroMQ

extension BusWorker {
    /// Puts another access policy in the place of the one that holds, from the next message on.
    ///
    /// Whoever is not in it any more ends at once: new connections are refused, and on those that are open nothing is
    /// looked at and nothing more is told.
    ///
    /// - Parameters:
    ///   - policy: The other one, as a whole.
    ///   - cause: What brought it, for the audit: the path of a file for instance.
    /// - Throws: ``WorkerError`` with code `usage` if the worker or the policy has no keys, or what kept ``run()`` from
    ///   serving.
    public func replaceAccess(with policy: AccessPolicy, by cause: String) async throws {
        guard configuration.access.policy.isKeyed, policy.isKeyed else {
            throw WorkerError(
                .usage,
                "There are no keys to tell senders apart.",
                next: "Give the worker access by keys when it is made, and a policy of keys now."
            )
        }
        if let flaw = configuration.access.with(policy).flaw(at: configuration.endpoints) { throw flaw }
        let loop = try await running.bound().loop
        door.replace(with: policy)
        await loop.replaceAccess(with: policy, by: cause, on: loop.reactor)
    }

    /// Counts, and tells the audit, that another access policy was bad and the one that holds goes on to.
    ///
    /// - Throws: What kept ``run()`` from serving.
    public func keepAccess(because cause: String) async throws {
        let loop = try await running.bound().loop
        await loop.keepAccess(because: cause, on: loop.reactor)
    }

    /// With which keys the sockets are bound, for whom the policy knows; nil where access is local.
    func curveServer(on reactor: Reactor) async throws(ZeroMQError) -> CurveServer? {
        switch configuration.access {
        case .local: return nil
        case .keyed(let pair, _):
            let authenticator = try await reactor.authenticate(deciding: { [door] in door.admits($0) })
            return CurveServer(keys: pair, authenticator: authenticator)
        }
    }

    /// Binds the endpoints, so that nobody gets in whom the policy does not know.
    ///
    /// - Throws: ``WorkerError`` with code `endpoint`, and with code `open_door` if a stranger gets in all the same.
    func bind(_ loop: WorkerLoop, as server: CurveServer?) async throws(WorkerError) -> [Endpoint] {
        var bound: [Endpoint] = []
        do throws(ZeroMQError) {
            for endpoint in configuration.endpoints {
                bound.append(try await loop.reactor.bind(loop.socket, to: endpoint, as: server))
            }
        } catch {
            throw WorkerError(.endpoint, error.message, next: error.next)
        }
        if case .keyed(let pair, _) = configuration.access { try await prove(bound, pair, loop) }
        return bound
    }

    /// Sees a stranger refused at the door, then watches for others.
    private func prove(_ endpoints: [Endpoint], _ pair: KeyPair, _ loop: WorkerLoop) async throws(WorkerError) {
        do throws(ZeroMQError) {
            for endpoint in endpoints {
                guard let reachable = try endpoint.reachable else { continue }
                // One stands for all: they are one socket with one mechanism.
                try await loop.reactor.verifyThatStrangersAreRefused(at: reachable, server: pair.publicKey)
                break
            }
        } catch {
            throw WorkerError(.openDoor, error.message, next: error.next)
        }
        door.watch { refusal in loop.reactor.submit { reactor in loop.turnedAway(refusal, on: reactor) } }
    }
}

extension Endpoint {
    /// Where a process of this machine reaches it; nil for one within the process, which no encryption guards.
    fileprivate var reachable: Endpoint? {
        get throws(ZeroMQError) {
            guard !text.hasPrefix("inproc://") else { return nil }
            return try Endpoint(
                text.replacing("tcp://0.0.0.0:", with: "tcp://127.0.0.1:", maxReplacements: 1)
                    .replacing("tcp://[::]:", with: "tcp://[::1]:", maxReplacements: 1)
            )
        }
    }
}

extension Reactor {
    /// Binds with keys, or where there are none an endpoint that only this machine reaches.
    func bind<Kind>(_ socket: Socket<Kind>, to endpoint: Endpoint, as server: CurveServer?) throws(ZeroMQError)
        -> Endpoint
    {
        guard let server else { return try bind(socket, to: LocalEndpoint(endpoint)) }
        return try bind(socket, to: endpoint, as: server)
    }
}
