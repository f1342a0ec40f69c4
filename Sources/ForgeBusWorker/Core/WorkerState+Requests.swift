import ForgeBusProtocol
import ForgeBusStore

/// Handles decoded requests: checks the sender's rights, then passes each request to the method that handles its verb.
extension WorkerState {
    mutating func receive(_ received: Received) {
        let ruling = access.ruling(on: received.request.command, of: received.principal)
        if let error = ruling.refusal(of: received.principal) { return step.refuse(received, error) }
        if step.keepsRecords { step.allow(by: access.grant(for: received.request.command, of: received.principal)) }
        switch received.request.command {
        case .notify(let change): notify(change, received)
        case .run(let request): run(request, received)
        case .decide(let decision): decide(decision, received)
        case .withdraw(let request): withdraw(request, received)
        case .attach(let request): attach(request, received)
        case .cancel(let request): cancel(request, received)
        case .redrive(let request): redrive(request, received)
        case .steer(let request): steer(request, received)
        case .mode(let request): mode(request, received)
        case .pause(let request): pause(request, received)
        case .admin(let request): administer(request, received)
        case .watch(let request): watch(request, received)
        case .unwatch: unwatch(received)
        case .show(let request): show(request, received)
        case .list(let request): list(request, received)
        case .hello: step.answer(received, .welcome(welcome))
        case .ping(let body):
            step.answer(received, .pong(Pong(worker: configuration.name, state: phase, body: body)))
        }
    }

    private mutating func list(_ request: ListRequest, _ received: Received) {
        do throws(BusError) {
            step.answer(received, .page(try reader(for: received).page(request)))
        } catch {
            step.refuse(received, error)
        }
    }

    private mutating func show(_ request: ShowRequest, _ received: Received) {
        if request.kind == .history { return showHistory(of: request.name, received) }
        do throws(BusError) {
            if [.run, .output].contains(request.kind) {
                try check(received.principal, .read, on: request.name)
            }
            if request.kind == .output {
                guard runs.known(request.name) != nil else { throw Errors.unknownRun(request.name) }
                return lookUp(StoreQuery(request.name, .output(action: request.action), received), for: received)
            }
            if request.kind == .run, let run = runs.ended[request.name], run.hasTexts, configuration.keepsRecords {
                let item = EndedRunItem(of: run, reader(for: received))
                return step.emit(.lookUp(StoreQuery(run.id, .run { item.complete(with: $0) }, received)))
            }
            step.answer(received, .shown(try reader(for: received).item(request)))
        } catch {
            step.refuse(received, error)
        }
    }

    private mutating func showHistory(of name: Name, _ received: Received) {
        if let error = refusal(ofHistory: name, to: received.principal) { return step.refuse(received, error) }
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
            return step.refuse(received, .busy("history", "The worker is reading too many histories and outputs."))
        }
        histories += 1
        step.emit(.lookUp(query))
    }

    /// The facts that the core knows for the answer to SHOW of the worker; nil is the worker itself, which may read
    /// everything.
    func description(for principal: AccessPolicy.Principal?, at now: Moment) -> WorkerItem {
        var item = reader(for: principal ?? .worker, at: now)
            .worker(phase, to: principal, welcome, ledger.count, isShort: isShort)
        (item.access, item.definitions) = (access.isKeyed ? access.digest : nil, configuration.definitions)
        requested.complete(&item, isReporting: configuration.reportsEvents) { [access] run, pipeline in
            principal.map { access.ruling(for: $0, .read, on: .run(run, of: pipeline)) == .allowed } ?? true
        }
        return item
    }

    private func reader(for received: Received) -> Reader { reader(for: received.principal, at: step.moment) }

    /// Makes a reader for `principal`, which sees the state of the worker at the time `now`.
    func reader(for principal: AccessPolicy.Principal, at now: Moment) -> Reader {
        Reader(
            runs: runs,
            signals: signals,
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
