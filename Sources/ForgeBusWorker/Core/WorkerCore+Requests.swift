import ForgeBusProtocol
import ForgeBusStore

/// Handles decoded requests: checks the sender's rights, then passes each request to the book that handles its verb.
extension WorkerCore {
    mutating func receive(_ received: Received) {
        let ruling = access.ruling(on: received.request.command, of: received.principal)
        if let error = ruling.refusal(of: received.principal) { return out.refuse(received, error) }
        if out.keepsRecords { out.allowedBy = access.grant(for: received.request.command, of: received.principal) }
        let terms = Circumstances(access: access, phase: phase, isShort: isShort)
        switch received.request.command {
        case .notify(let change): requests.notify(change, received, terms, &monitors, &out)
        case .run(let request): requests.run(request, received, terms, &runs, &signals, &out)
        case .decide(let decision): requests.decide(decision, received, terms, &runs, &signals, &out)
        case .withdraw(let request): requests.withdraw(request, received, runs, &signals, &out)
        case .attach(let request): requests.attach(request, received, terms, &runs, &out)
        case .cancel(let request): requests.cancel(request, received, terms, &runs, &signals, &out)
        case .redrive(let request): requests.redrive(request, received, terms, &runs, &signals, &out)
        case .steer(let request): requests.steer(request, received, terms, &runs, &signals, &out)
        case .mode(let request): requests.mode(request, received, &monitors, &out)
        case .pause(let request): requests.pause(request, received, &pauses, &runs, &signals, &monitors, &out)
        case .admin(let request): requests.administer(request, received, isShort: isShort, &out)
        case .watch(let request): watches.watch(request, received, &out)
        case .unwatch: watches.unwatch(received, &out)
        case .show(let request): show(request, received, terms)
        case .list(let request): list(request, received)
        case .hello: out.answer(received, .welcome(welcome))
        case .ping(let body):
            out.answer(received, .pong(Pong(worker: configuration.name, state: phase, body: body)))
        }
    }

    private mutating func list(_ request: ListRequest, _ received: Received) {
        do throws(BusError) {
            out.answer(received, .page(try reader(for: received).page(request)))
        } catch {
            out.refuse(received, error)
        }
    }

    private mutating func show(_ request: ShowRequest, _ received: Received, _ terms: Circumstances) {
        if request.kind == .history { return showHistory(of: request.name, received) }
        do throws(BusError) {
            if [.run, .output].contains(request.kind) {
                try terms.check(received.principal, .read, on: request.name, runs)
            }
            if request.kind == .output {
                guard runs.known(request.name) != nil else { throw Errors.unknownRun(request.name) }
                return lookUp(StoreQuery(request.name, .output(action: request.action), received), for: received)
            }
            if request.kind == .run, let run = runs.ended[request.name], run.hasTexts, configuration.keepsRecords {
                let item = EndedRunItem(of: run, reader(for: received))
                return out.emit(.lookUp(StoreQuery(run.id, .run { item.complete(with: $0) }, received)))
            }
            out.answer(received, .shown(try reader(for: received).item(request)))
        } catch {
            out.refuse(received, error)
        }
    }

    private mutating func showHistory(of name: Name, _ received: Received) {
        if let error = refusal(ofHistory: name, to: received.principal) { return out.refuse(received, error) }
        lookUp(reader(for: received).query(name, received), for: received)
    }

    /// The refusal to show a history, the same whether or not a run of that name exists; nil if it may be shown.
    ///
    /// The right to read a run includes its history.
    func refusal(ofHistory name: Name, to principal: AccessPolicy.Principal) -> BusError? {
        let known = runs.known(name)
        let own = access.ruling(for: principal, .read, on: name, known: known)
        if known != nil, own == .allowed { return nil }
        return access.ruling(for: principal, .read, on: .item(.history, name)).refusal(of: principal)
    }

    private mutating func lookUp(_ query: StoreQuery, for received: Received) {
        guard histories < configuration.limits.histories else {
            return out.refuse(received, .busy("history", "The worker is reading too many histories and outputs."))
        }
        histories += 1
        out.emit(.lookUp(query))
    }

    /// The facts that the core knows for the answer to SHOW of the worker; nil is the worker itself, which may read
    /// everything.
    func description(for principal: AccessPolicy.Principal?, at now: Moment) -> JSONObject {
        var item = reader(for: principal ?? .worker, at: now)
            .worker(phase, to: principal, welcome, requests.ledger.count, isShort: isShort)
        item["access"] = access.isKeyed ? .string(access.digest) : nil
        item["definitions"] = configuration.definitions.map { .string($0) }
        return owed.complete(item, isReporting: configuration.reportsEvents) { [access] run, pipeline in
            principal.map { access.ruling(for: $0, .read, on: .run(run, of: pipeline)) == .allowed } ?? true
        }
    }

    private func reader(for received: Received) -> Reader { reader(for: received.principal, at: out.moment) }

    /// Makes a reader for `principal`, which sees the state of the worker at the time `now`.
    func reader(for principal: AccessPolicy.Principal, at now: Moment) -> Reader {
        Reader(
            runs: runs,
            gates: signals.gates,
            monitors: monitors,
            pauses: pauses,
            access: access,
            principal: principal.name,
            now: now
        )
    }

    /// The content of the answer to HELLO, such as the worker's name, state, durability and limits.
    private var welcome: Welcome {
        Welcome(
            worker: configuration.name,
            state: phase,
            durability: configuration.durability,
            retention: configuration.retention,
            store: storeIdentity,
            features: [Welcome.actingFor, Welcome.lastCycle],
            limits: WireLimits.byName.merging(configuration.limits.byName) { _, own in own }
        )
    }
}
