import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

/// Makes the records of a run for the store and the journal.
extension RunRecord {
    /// Makes the record of a run.
    ///
    /// The record of an ended run has the run's result, but neither its seeds nor its definition.
    init(_ run: RunMachine, _ result: RunResult?, hasTexts: Bool, keptFor retention: Duration, at now: Moment) {
        self.init(
            run: run.id,
            request: run.request,
            fingerprint: run.terms.fingerprint,
            pipeline: run.pipeline,
            definition: result == nil ? run.definition : .none,
            principal: run.principal,
            via: run.terms.via,
            seeds: result == nil ? run.terms.seeds : [:],
            title: run.terms.title,
            key: run.terms.key,
            accepted: run.terms.accepted,
            deadline: run.clock.deadline.map { now.unix(of: $0) },
            began: run.began,
            origin: run.terms.origin
        )
        guard let result else { return }
        let until = now.unix(of: now.advanced(by: retention))
        end = End(result: result, ended: now.unixMilliseconds, until: until, hasTexts: hasTexts)
    }
}

extension ProgressRecord {
    /// Makes the record of a run's progress; `state` is the run's state in its stored form.
    init(_ run: RunMachine, _ state: State) {
        let course = run.course
        self.init(
            run: run.id,
            eligible: course.eligible,
            actions: course.actions,
            values: course.values,
            unkept: course.unkept,
            attempt: course.attempt,
            crashes: course.crashes,
            earlierAttempts: course.earlierAttempts,
            unrecorded: course.unrecorded,
            highestAttempt: course.highestAttempt,
            state: state
        )
    }
}

extension RunMachine {
    /// Makes the result of the run after its actions have finished.
    func result(of reported: [ActionOutcome], _ outputs: JSONObject, flaw: String?) -> RunResult {
        let actions = course.completed(by: reported, isStopped: isStopping)
        let end: (RunResult.State, String)
        if case .stopping(let ending) = state {
            end = (ending.state, ending.reason)
        } else if let (action, why) = actions.lazy.compactMap(\.failure).first {
            end = (.failed, "\(action): \(why)".asReason)
        } else if let flaw {
            end = (.failed, flaw)
        } else {
            end = (.completed, "")
        }
        return RunResult(run: RunID(id), state: end.0, reason: end.1, actions: actions, outputs: outputs)
    }
}

extension RunResult.State {
    /// Whether to warn the operator about a run that ended in this state.
    var isTrouble: Bool {
        switch self {
        case .completed, .cancelled: false
        case .failed, .timedOut, .lost: true
        }
    }
}

extension JournalEntry {
    /// Makes the journal entry for a change of a run; nil for a change that the run's result or the audit shows anyway.
    init?(_ change: RunProgress.Change, of run: Name, at now: Moment) {
        let time = now.unixMilliseconds
        switch change {
        case .started, .finished: return nil
        // The audit has a record of the redrive, with the principal.
        case .redriven: return nil
        case .waiting(let action, let signal):
            self.init(at: time, "waiting", run: run, signal: signal.knownName, details: ["action": .string(action)])
        case .resumed(let action, let signal):
            self.init(at: time, "resumed", run: run, signal: signal.knownName, details: ["action": .string(action)])
        case .retrying(let action, let attempt, let after, let reason):
            self.init(at: time, "retrying", run: run, details: ["action": .string(action)])
            details["attempt"] = .integer(Int64(attempt))
            details["after_ms"] = .integer(after.milliseconds)
            if !reason.isEmpty { details["reason"] = .string(reason) }
        case .parked(let action, let reason):
            self.init(at: time, "parked", run: run, details: ["action": .string(action), "reason": .string(reason)])
        }
    }
}

extension Step {
    /// Publishes a run's new state.
    mutating func publish(_ run: RunMachine, _ state: StateReport.State) {
        publish(.run(run.id, of: run.pipeline), .run(run.id, run.pipeline, state))
    }
}

extension JSONObject {
    fileprivate static func run(_ id: Name, _ pipeline: Name, _ state: StateReport.State) -> JSONObject {
        var item = RunEventItem()
        (item.run, item.pipeline, item.state) = (RunID(id), PipelineName(pipeline), state)
        return item.json
    }
}

extension ActionOutcome {
    /// Converts a report of ForgeOrchestrator about an action to the protocol's outcome.
    init(_ report: ActionReport) {
        let result: Result =
            switch report.result {
            case .completed: .completed
            case .skipped: .skipped
            case .failed(let reason): .failed(reason.asReason)
            }
        self.init(action: report.id.rawValue, result: result, start: report.start, duration: report.duration)
    }
}
