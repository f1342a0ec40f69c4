import ForgeBusProtocol

@testable import ForgeBusWorker

extension Effect {
    /// The effect as a line: `1<a accepted run-1` is an answer to connection 1 about its request `a`.
    var line: String {
        switch self {
        case .answer(let answer, let caller): "\(caller.number)<\(answer.line)"
        case .tell(let told): "\(told.key.caller.number)<\(told.line)"
        case .start(let start): start.line
        case .cancel(let run): "cancel \(run)"
        case .follow(let run): "follow \(run)"
        case .dropRest(let run): "drop \(run)"
        case .abandon(let run): "abandon \(run)"
        case .resume(let waiter, let outcome): "resume \(waiter.number) \(outcome.line)"
        case .runCycle(let monitor, _): "cycle \(monitor)"
        case .cancelCycle(let monitor): "cancel cycle \(monitor)"
        case .show(let screen, let monitor): "show \(screen ?? "nothing") to \(monitor)"
        case .pause(let isPaused, let monitor): "\(isPaused ? "pause" : "continue") \(monitor)"
        case .lookUp(let query):
            "\(query.caller.number)<\(query.request) history of \(query.name), \(query.known.count) known"
        case .perform(let task, let key): "perform \(task) for \(key.id)"
        case .audit(let record): "audit \(record.event)"
        case .warn(let trouble): "warn \(trouble)"
        case .drained: "drained"
        }
    }
}

extension RunStart {
    fileprivate var line: String {
        guard let resumption else { return "start \(run)" }
        let place =
            resumption.answer.map { "at \($0.action), \($0.outcome.line)" } ?? "behind \(resumption.results.count)"
        return "\(resumption.isOver ? "end" : "go on with") \(run) \(place)"
    }
}

extension ToldEvent {
    fileprivate var line: String {
        "\(key.request) event \(sequence) \(subject) \(body["state"]?.string ?? "-")"
    }
}

extension Answer {
    var line: String {
        "\(id?.text ?? "-") \(content.line)\(isReplayed ? " again" : "")"
    }
}

extension Answer.Content {
    fileprivate var line: String {
        switch self {
        case .accepted(let acceptance):
            acceptance.run.map { "accepted \($0)" } ?? "accepted by \(acceptance.monitors ?? -1)"
        case .progress(let progress): progress.change.line
        case .result(let result): "\(result.state.rawValue) \(result.run)"
        case .evaluated(let evaluation): evaluation.line
        case .verdict(let report): report.verdict.word
        case .page(let page): "page of \(page.items.count)"
        case .pong(let pong): "pong \(pong.state.rawValue)"
        case .welcome(let welcome): "welcome to \(welcome.worker)"
        case .ok(let report):
            (["ok \(report.state.rawValue)"] + [report.run?.text].compactMap { $0 }).joined(separator: " ")
        case .shown(let item): "shown \(JSONValue.object(item))"
        case .event(let event): "event \(event.sequence) \(event.subject) \(event.body["state"]?.string ?? "-")"
        case .error(let error):
            (["error \(error.code)"] + [error.details["limit"]?.string].compactMap { $0 }).joined(separator: " ")
        }
    }
}

extension RunProgress.Change {
    fileprivate var line: String {
        switch self {
        case .started(let action): "started \(action)"
        case .finished(let action, let result): "finished \(action) \(result)"
        case .waiting(let action, let signal): "waiting \(action) \(signal)"
        case .resumed(let action, let signal): "resumed \(action) \(signal)"
        case .retrying(let action, let attempt, let after, _): "retrying \(action) \(attempt) after \(after)"
        case .parked(let action, let reason): "parked \(action) \(reason)"
        case .redriven(let action): "redriven \(action)"
        }
    }
}

extension Evaluation {
    fileprivate var line: String {
        let told = monitors.map { monitor in
            "\(monitor.monitor) \(monitor.state.rawValue)" + (monitor.cycle.map { " in \($0)" } ?? "")
        }
        return (["evaluated"] + told + pending.map { "\($0) pending" }).joined(separator: ", ")
    }
}

extension WaitOutcome {
    var line: String {
        switch self {
        case .registered: "registered"
        case .proceed: "proceed"
        case .decided(.approved(let value)): "approved \(value)"
        case .decided(.rejected(let reason)): "rejected \(reason)"
        case .decided(.expired): "expired"
        case .decided(.closed): "closed"
        case .refused(let error): "refused \(error.code)"
        case .failed(let reason): "failed \(reason)"
        case .requested(let run): "requested \(run)"
        case .ended(let result): "ended \(result.run) \(result.state.rawValue)"
        }
    }
}
