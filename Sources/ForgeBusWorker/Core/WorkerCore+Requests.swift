import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// What requests for runs do: each is taken once, and whoever sends it again gets what came of it.
extension WorkerCore {
    mutating func run(_ request: RunRequest, _ received: Received, at now: Moment) {
        let key = received.key
        switch precedent(of: received, under: key) {
        case .none: break
        case .refused: return
        case .known(.run(let run)): return attach(request, received, to: run)
        case .known(.verdict), .known(.confirmation): fatalError("The fingerprint covers the command.")
        }
        let durability = shortfall(of: request.durability, given: configuration.durability)
        if let error = closedDoor ?? durability { return refuse(received, error) }
        guard let pipeline = pipelines[request.pipeline] else { return refuse(received, unknown(request.pipeline)) }
        do throws(BusError) {
            let values = try Seed.values(of: request.seeds, declared: pipeline.seeds)
            if let error = overload(by: request, of: received.principal.name) ?? overload(by: pipeline) { throw error }
            let id = takeRunID()
            try checkGates(of: id, of: pipeline, with: values, for: received.principal)
            begin(request, as: id, with: values, received, under: key, at: now)
        } catch {
            refuse(received, error)
        }
    }

    /// What is known of a request that was taken before.
    enum Precedent {
        /// It is new.
        case none
        /// This came of it.
        case known(RequestRecord.Outcome)
        /// It cannot be taken, and its sender was told why.
        case refused
    }

    /// Asks the ledger, and refuses what it cannot take.
    mutating func precedent(of received: Received, under key: RequestKey) -> Precedent {
        let asked = performing.isEmpty ? nil : performing[key]
        switch ledger.rule(on: key, received.fingerprint) {
        // What the store is about to have done is kept like what is done.
        case .new where asked.map { $0.first.fingerprint != received.fingerprint } == true:
            refuse(received, .conflict(received.request.id, nil))
        case .new where asked == nil && ledger.count + performing.count >= configuration.limits.requests:
            refuse(received, .ledgerIsFull)
        case .new: return .none
        case .known(let outcome): return .known(outcome)
        case .conflict(let run): refuse(received, .conflict(received.request.id, run))
        case .full: refuse(received, .ledgerIsFull)
        }
        return .refused
    }

    /// Refuses a run, before more of it executes, that could not pass a gate to which it comes for certain.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - pipeline: What it is a run of.
    ///   - values: What its context begins with.
    ///   - actions: Those that have ended: it does not come to them again.
    ///   - principal: Who asks; whose the signal is, is told to those only who may read of it.
    /// - Throws: ``BusError`` with code `bad_seed` where the seeds make no signal's id, or one id for two gates; `id_taken`
    ///   where the signal is another owner's, be it decided or not: nobody can decide it for this run.
    func checkGates(
        of run: RunID,
        of pipeline: HostedPipeline,
        with values: [String: any Sendable],
        after actions: [ActionOutcome] = [],
        for principal: AccessPolicy.Principal
    ) throws(BusError) {
        for signal in try pipeline.gateSignals(of: run, with: values, after: actions) {
            guard let owner = gates.owner(of: signal), owner.run != run else { continue }
            let isTold = access.ruling(for: principal, .read, on: .item(.signal, signal)) == .allowed
            throw .taken(
                signal,
                by: isTold ? owner.label : nil,
                next: "Ask SHOW whose it is and how it stands, or run it with other seeds."
            )
        }
    }

    private func overload(by request: RunRequest, of principal: String) -> BusError? {
        if isShort { return .busy("disk", "The disk of the store is nearly full; what has begun is finished.") }
        if let error = bounds.objection(to: principal, request.seeds.footprint) { return error }
        guard queues.isFull(request.pipeline) else { return nil }
        return .busy("queued", "The queue of \(request.pipeline) is full.")
    }

    private func overload(by pipeline: HostedPipeline) -> BusError? {
        guard gates.settledCount >= configuration.limits.settledSignals, !pipeline.signals.isEmpty else { return nil }
        return .busy("settled", "Too many signals are kept that are over.")
    }

    private mutating func begin(
        _ request: RunRequest,
        as id: RunID,
        with values: [String: any Sendable],
        _ received: Received,
        under key: RequestKey,
        at now: Moment
    ) {
        ledger.admit(RequestRecord(key: key, fingerprint: received.fingerprint, outcome: .run(id)))
        let terms = RunTerms(
            id: id,
            request: key,
            fingerprint: received.fingerprint,
            pipeline: request.pipeline,
            accepted: now.unixMilliseconds,
            principal: received.principal.name,
            seeds: request.seeds
        )
        let run = Run(
            terms: terms,
            definition: definitions[request.pipeline] ?? .none,
            values: values,
            tellsTransitions: request.wantsProgress || configuration.keepsRecords,
            deadline: request.deadline.map { now.advanced(by: $0) },
            listeners: [Run.Listener(received, isDetached: request.isDetached, wantsProgress: request.wantsProgress)]
        )
        emit(.answer(acceptance(of: id, to: received.request.id), to: received.caller))
        publish(run, .queued)
        bounds.began(run)
        if let deadline = run.deadline { deadlines.add(.runDeadline(id, redrives: 0), at: deadline) }
        runs[id] = consume run
        queueOrStart(id, of: request.pipeline)
        // One that has a slot already was kept with that.
        if configuration.keepsRecords, let run = runs[id], case .queued = run.state { keepRun(run, at: now) }
    }

    private func acceptance(of run: RunID, to id: RequestID, isReplayed: Bool = false) -> Answer {
        let durability = configuration.durability
        let acceptance = Acceptance.run(run, durability: durability, retention: configuration.retention)
        return Answer(to: id, .accepted(acceptance), isReplayed: isReplayed)
    }

    /// The same request again: its sender gets what the first one gets.
    private mutating func attach(_ request: RunRequest, _ received: Received, to run: RunID) {
        emit(.answer(acceptance(of: run, to: received.request.id, isReplayed: true), to: received.caller))
        if let result = ended[run]?.result {
            guard !request.isDetached else { return }
            emit(.answer(Answer(to: received.request.id, .result(result), isReplayed: true), to: received.caller))
        } else {
            let listener = Run.Listener(
                received,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
            attach(listener, to: run)
        }
    }

    /// - Returns: The listener's number; nil where the run is not known.
    @discardableResult
    private mutating func attach(_ listener: Run.Listener, to run: RunID) -> Int? {
        if listener.wantsProgress, runs[run]?.tellsTransitions == false {
            // Nobody had asked how it goes, and nothing is kept of that.
            runs[run]?.tellsTransitions = true
            emit(.follow(run))
        }
        guard let attached = runs[run]?.attach(listener, atMost: configuration.limits.attachedConnections) else {
            return nil
        }
        if let letGo = attached.letGo, letGo.hasAttached { tellStanding(of: run, to: letGo) }
        return attached.number
    }

    /// Whoever attached hears how the run stands, and no more.
    private mutating func tellStanding(of run: RunID, to listener: Run.Listener) {
        guard let standing = runs[run]?.standing else { return }
        emit(.answer(Answer(to: listener.request, .ok(StateReport(standing, run: run))), to: listener.caller))
    }

    /// Somebody wants to know of a run, whoever began it.
    mutating func attach(_ request: AttachRequest, _ received: Received, at now: Moment) {
        do throws(BusError) {
            let state = try standing(of: request.run, for: received.principal, .read)
            if let result = ended[request.run]?.result {
                return emit(.answer(Answer(to: received.request.id, .result(result)), to: received.caller))
            }
            if request.patience == .zero {
                let standing = StateReport(state, run: request.run)
                return emit(.answer(Answer(to: received.request.id, .ok(standing)), to: received.caller))
            }
            var listener = Run.Listener(received, isDetached: false, wantsProgress: request.wantsProgress)
            listener.hasAttached = true
            let number = attach(listener, to: request.run)
            guard let number, let patience = request.patience else { return }
            deadlines.add(.attachment(request.run, listener: number), at: now.advanced(by: patience))
        } catch {
            refuse(received, error)
        }
    }

    /// The patience of whoever attached is over: it is told what stands, and then no more.
    ///
    /// Nothing happens where it asked again meanwhile: then it is another listener, with a patience of its own.
    mutating func endAttachment(to run: RunID, listener number: Int) {
        guard let listener = runs[run]?.listener(number) else { return }
        tellStanding(of: run, to: listener)
        runs[run]?.detach(number)
    }

    func unknown(_ name: PipelineName) -> BusError {
        let names = pipelines.keys.map(\.text).sorted()
        let guess = Spelling.guess(name.text, among: names).map { " Did you mean `\($0)`?" } ?? ""
        return BusError(
            .unknownPipeline,
            "No pipeline \(Printable.quoted(name.text)) is served here.\(guess)",
            next: names.isEmpty ? "This worker serves none." : "Run one of \(names.joined(separator: ", "))."
        )
    }
}

extension Run.Listener {
    fileprivate init(_ received: Received, isDetached: Bool, wantsProgress: Bool) {
        self.init(
            caller: received.caller,
            request: received.request.id,
            isDetached: isDetached,
            wantsProgress: wantsProgress,
            principal: received.principal
        )
    }
}

extension BusError {
    fileprivate static var ledgerIsFull: BusError { .busy("ledger", "The answers of too many requests are kept.") }

    static func conflict(_ id: RequestID, _ run: RunID?) -> BusError {
        BusError(
            .idConflict,
            "The id \(Printable.quoted(id.text)) was used for other content\(run.map { ", which began run \($0)" } ?? "").",
            next: "Send new content under a new id.",
            details: run.map { ["run": .string($0.text)] } ?? [:]
        )
    }
}
