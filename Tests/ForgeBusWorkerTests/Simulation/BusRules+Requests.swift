import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// Each request is taken once, has one last answer, and is never met with silence.
extension BusRules {
    /// What was said to a request, as it came.
    mutating func answered(_ received: Received, _ consequences: Consequences, _ harness: CoreHarness) {
        let answers = consequences.effects.compactMap { effect -> Answer.Content? in
            guard case .answer(let answer, let caller) = effect else { return nil }
            guard caller == received.caller, answer.id == received.request.id else { return nil }
            return answer.content
        }
        if let refusal = answers.compactMap(\.error).first {
            if case .run(let request) = received.request.command {
                checkRefusal(of: request, refusal, nil, harness.core)
            }
            if !consequences.changes.isEmpty || consequences.effects.count != 1 {
                violate("\(received.request.id) was refused, and left a trace")
            }
            return refused(received, refusal)
        }
        if regime.isBarred(received.request.command, of: received.principal) {
            violate("\(received.principal.name) did what it may not: \(received.request.id)")
        }
        letGo(by: received, consequences, harness)
        switch received.request.command {
        case .watch(let request): watch(request, WatchKey(caller: received.caller, request: received.request.id))
        case .unwatch: watches[WatchKey(caller: received.caller, request: received.request.id)] = nil
        case .attach(let request):
            let key = WatchKey(caller: received.caller, request: received.request.id)
            attached[key] = .some(request.patience.map { harness.now.advanced(by: $0) })
        case .decide(let decision):
            if precedent == nil, case .verdict(let report) = answers.first {
                ruled(report, decision, received, harness)
            }
        case .notify(let change): notified(change, WatchKey(caller: received.caller, request: received.request.id))
        case .run(let request): if precedent == nil { taken(request, answers.first, harness) }
        case .withdraw(let request):
            if precedent == nil, case .ok(let report) = answers.first { withdrew(request, report, received, harness) }
        case .steer(let request):
            if precedent == nil, case .ok(let report) = answers.first {
                steered(request, report, received, consequences, harness)
            }
        case .redrive(let request): if precedent == nil { redriven(request.run, at: harness.now) }
        // Nothing that a rule remembers.
        default: break
        }
        switch received.request.command {
        case .watch, .attach: break
        // What happened is told, and what an operator asks is done, beside the core.
        case .show(let request) where [.history, .output].contains(request.kind): break
        case .show(let request) where request.kind == .run && harness.core.ended[request.name]?.hasTexts == true: break
        case .admin where precedent == nil: break
        default: if answers.isEmpty { violate("\(received.request.id) was met with silence") }
        }
        replayed(received, answers.first)
    }

    private mutating func refused(_ received: Received, _ error: BusError) {
        let isBarred = regime.isBarred(received.request.command, of: received.principal)
        if isBarred { return error.code == .forbidden ? () : violate("not forbidden, but \(error.code)") }
        guard let precedent, received.request.command.isLedgered else { return }
        if precedent.fingerprint == received.fingerprint { return violate("\(error.code) to what is kept") }
        if error.code != .idConflict { violate("\(error.code), not a conflict: \(received.request.id)") }
    }

    /// The same request again gets what it got; other content gets nothing.
    private mutating func replayed(_ received: Received, _ answer: Answer.Content?) {
        guard let precedent, received.request.command.isLedgered else { return }
        guard precedent.fingerprint == received.fingerprint else {
            return violate("\(received.request.id) was taken for what it is not")
        }
        saw("replayed")
        switch (precedent.outcome, answer) {
        case (.run(let run), .accepted(let acceptance)) where acceptance.run?.knownName == run: break
        case (.verdict(let first), .verdict(let report)) where first == report: break
        case (.confirmation(let first), .ok(let report)) where first == report: break
        default: violate("\(received.request.id) was answered otherwise than before")
        }
    }

    /// Who attached and makes room for another is told how the run stands, however long it wanted to wait.
    private mutating func letGo(by received: Received, _ consequences: Consequences, _ harness: CoreHarness) {
        let own = WatchKey(caller: received.caller, request: received.request.id)
        for case .answer(let answer, let caller) in consequences.effects {
            guard case .ok(let report) = answer.content, let run = report.run?.knownName, let id = answer.id else {
                continue
            }
            let watch = WatchKey(caller: caller, request: id)
            guard watch != own, attached[watch] != nil else { continue }
            let listeners = harness.core.runs[run]?.audience.listeners.count ?? 0
            if listeners < harness.core.configuration.limits.attachedConnections {
                violate("\(id) is let go for nobody")
            }
            attached[watch] = .some(harness.now)
            saw("ok, let go")
        }
    }

    mutating func accepted(_ run: Name, _ key: RequestKey, _ harness: CoreHarness) {
        saw("accepted")
        guard let record = harness.record(of: run) else { return violate("\(run) is accepted, and no store keeps it") }
        if record.request != key { violate("\(run) is accepted, and no store keeps that") }
    }

    mutating func ended(_ result: RunResult, _ key: RequestKey, _ principal: String, _ harness: CoreHarness) {
        checkHearing(of: result.run.knownName, principal, harness)
        saw("result \(result.state.rawValue)")
        checkEnd(of: result)
        if !result.abandoned.isEmpty { saw("result, abandoned") }
        if harness.record(of: result.run.knownName)?.end?.result != result {
            violate("no store keeps this end: \(result)")
        }
        if key.isLedgered { final(.result(result), key) } else { saw("result, attached") }
    }

    mutating func confirmed(_ report: StateReport, _ key: RequestKey, _ watch: WatchKey, _ harness: CoreHarness) {
        saw("ok \(report.state.rawValue)")
        if report.state == .cancelled, let run = report.run.flatMap({ harness.core.runs[$0.knownName]?.id }) {
            if stopping[run] != .cancelled { violate("\(run) is said to be cancelled, and goes on") }
        }
        if report.state == .creditEnded { return creditEnded(watch) }
        if key.isLedgered { return final(.confirmation(report), key) }
        if report.state == .unwatched { return }
        silent.insert(watch)
        guard let known = attached[watch] else { return }
        if known.map({ $0 <= harness.now }) != true { violate("\(watch.request) is told how its run stands too early") }
    }

    /// The last answer to a request is always the same, and a store keeps what it rests on.
    mutating func final(_ final: Final, _ key: RequestKey) {
        if requests[key] == nil { violate("\(key.id) has its last answer, and no store keeps it") }
        if let first = finals[key], first != final { violate("\(key.id): first \(first), then \(final)") }
        finals[key] = final
    }
}

extension RequestKey {
    /// Whether the id is one of those that clients give to requests that are done once.
    fileprivate var isLedgered: Bool { id.text.hasPrefix("l") }
}

extension Answer.Content {
    fileprivate var error: BusError? { if case .error(let error) = self { error } else { nil } }
}
