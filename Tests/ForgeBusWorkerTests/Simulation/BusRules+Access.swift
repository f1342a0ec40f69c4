import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// Nobody hears what it may not, whichever policy holds, and the audit is told of each thing once.
extension BusRules {
    /// Another policy holds from now on: some may not wait any more.
    mutating func replaced(by regime: Regime, _ core: WorkerState) {
        self.regime = regime
        dismissed = Set(
            watches.lazy.filter {
                !regime.mayWait($0.key.caller, for: .watch(WatchRequest($0.value.pattern, credit: 1)))
            }.map(\.key)
        )
        for key in dismissed { watches[key] = nil }
        for run in core.runs.unfinished {
            for listener in run.audience.listeners where !listener.isDetached {
                let command: Request.Command =
                    listener.hasAttached
                    ? .attach(AttachRequest(run: run.id)) : .run(RunRequest(pipeline: run.pipeline))
                // Whoever began a run may hear of it without a grant, but a gateway only with one for that.
                let mayWait = regime.mayWait(listener.caller, for: command, ofRunOf: run.principal)
                if !mayWait { dismissed.insert(WatchKey(caller: listener.caller, request: listener.request)) }
            }
        }
        for received in core.tasks.pending.flatMap(\.waiting)
        where !regime.mayWait(received.caller, for: received.request.command) {
            dismissed.insert(WatchKey(caller: received.caller, request: received.request.id))
        }
    }

    /// Another policy was set: those that may not wait any more are told so, each once, and nobody else is told anything.
    mutating func checkDismissals(_ consequences: Consequences, _ harness: CoreHarness) {
        var told: Set<WatchKey> = []
        for case .answer(let answer, let caller) in consequences.effects {
            guard let request = answer.id, case .error(let error) = answer.content, error.code == .forbidden else {
                violate("another policy, and \(answer.line)")
                continue
            }
            let key = WatchKey(caller: caller, request: request)
            if !told.insert(key).inserted { violate("\(request) is sent away twice") }
            let isWaiting = dismissed.contains(key)
            let client = BusSetting.client(of: caller)
            if !isWaiting, notices[key] == nil || regime.stands(client: client) { violate("\(request) is sent away") }
            silent.insert(key)
            saw(isWaiting ? "wait forbidden" : "evaluation forbidden")
        }
        for key in dismissed.subtracting(told) { violate("\(key.request) waits for ever") }
        for caller in harness.core.evaluations.callers where !regime.stands(client: BusSetting.client(of: caller)) {
            violate("a notification of \(caller.number) waits for ever")
        }
    }

    /// Somebody is told what happened to a run, signal or monitor.
    mutating func shown(_ query: StoreQuery, _ harness: CoreHarness) {
        saw("history")
        if case .history = query.content { checkCauses(query, harness) }
        let principal = BusSetting.principals[BusSetting.client(of: query.caller)].name
        if let owner = harness.record(of: query.name)?.request.principal {
            if !regime.mayHear(principal, ofRunOf: owner) { violate("\(principal) hears what \(query.name) did") }
        } else if principal == "carl" || principal == "eve" || regime == .strict && principal != "ada" {
            violate("\(principal) hears what happened to \(query.name)")
        }
    }

    /// What an action of an unfinished run printed is kept; nothing else is.
    mutating func checkPrinted(_ consequences: Consequences) {
        let isKept = consequences.changes.contains { if case .output = $0 { true } else { false } }
        if isKept != isToBeKept { violate(isKept ? "it keeps what nobody printed" : "what was printed is lost") }
    }

    /// What a history tells of an action stands before the end of that action, whatever the clocks said.
    ///
    /// Only of what one worker did: a crash may take the end of an action with it, which then ends again.
    private mutating func checkCauses(_ query: StoreQuery, _ harness: CoreHarness) {
        guard harness.workers == 1 else { return }
        let entries = query.entries(with: harness.journal.filter { $0.isAbout(query.name) })
        if !query.known.isEmpty, entries.first?.event != "accepted" { violate("\(query.name) begins in its middle") }
        var over: Set<String> = []
        var time: Int64 = 0
        for entry in entries {
            if entry.unixMilliseconds < time { violate("the history of \(query.name) goes back in time") }
            time = entry.unixMilliseconds
            guard let action = entry.details["action"]?.string else { continue }
            if entry.event.hasPrefix("action_") {
                over.insert(action)
            } else if over.contains(action) {
                violate("\(query.name): \(entry.event) behind the end of \(action)")
            }
        }
    }

    mutating func checkHearing(of run: Name, _ principal: String, _ harness: CoreHarness) {
        guard let owner = harness.record(of: run)?.request.principal else { return violate("\(run) is kept nowhere") }
        if !regime.mayHear(principal, ofRunOf: owner) { violate("\(principal) hears of \(run), which is \(owner)'s") }
    }

    /// The audit was told of what was done first now, and of what was refused for want of a grant; of nothing else.
    mutating func checkAudit(of event: Event, _ consequences: Consequences, _ told: ArraySlice<AuditRecord>) {
        let told = told.filter { if case .superseded = $0.event { false } else { true } }
        guard isAudited(event, consequences) else {
            return told.isEmpty ? () : violate("the audit is told \(told) for nothing")
        }
        if told.count != 1 { return violate("the audit is told \(told.count) times of \(event.line)") }
        guard case .received(let received) = event, let record = told.first else { return }
        if record.principal != received.principal.name || record.request != received.request.id {
            violate("the audit is told \(record) of \(event.line)")
        }
    }

    private func isAudited(_ event: Event, _ consequences: Consequences) -> Bool {
        if case .accessReplaced = event { return true }
        if case .published(let publication, let principal, _) = event {
            return !regime.mayNotify(publication.topic, principal.name)
        }
        if case .performed(_, let result) = event {
            let isDone = if case .success = result { true } else { false }
            return isDone && !consequences.changes.isEmpty
        }
        guard case .received(let received) = event else { return false }
        if consequences.effects.contains(where: \.isForbidden) { return true }
        let isNew = consequences.changes.contains { change in
            if case .put(.request(let record)) = change { record.key == received.key } else { false }
        }
        if case .run = received.request.command { return false }
        return isNew
    }
}

extension Regime {
    /// Whether the sender of such a request may still wait for its answers; with the owner of the run that it is about.
    fileprivate func mayWait(_ caller: Caller, for command: Request.Command, ofRunOf owner: String? = nil) -> Bool {
        let client = BusSetting.client(of: caller)
        let principal = BusSetting.principals[client]
        if !stands(client: client) || principal.via != nil && isBarredForGateway(command) { return false }
        guard let owner else { return !isBarred(command, of: principal) }
        return mayHear(principal.name, ofRunOf: owner)
    }
}

extension Effect {
    fileprivate var isForbidden: Bool {
        if case .answer(let answer, _) = self { answer.content.isForbidden } else { false }
    }
}

extension Answer.Content {
    var isForbidden: Bool { if case .error(let error) = self { error.code == .forbidden } else { false } }
}
