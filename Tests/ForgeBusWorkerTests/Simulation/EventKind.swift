import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// What can happen to the core, as rows of the coverage table: each command, each other event, and that its worker dies.
enum EventKind: Int, CaseIterable {
    case hello, notify, run, attach, cancel, redrive, complete, reject, show, list, watch, unwatch, mode, admin, ping
    case transition, runEnded, opened, restingAtGate, failing, abandoned, withdrawn, cycleEnded,
        standingChanged
    case taken, lost, disconnected, probed
    case published, publicationsMayBeLost, accessReplaced, performed, historyFound, room, ready, drain, drainTimeEnded,
        tick, crash
}

extension Event {
    var kind: EventKind {
        switch self {
        case .received(let received): received.request.command.kind
        case .transition: .transition
        case .runEnded: .runEnded
        case .opened: .opened
        case .rested(let rest):
            switch rest.kind {
            case .gate: .restingAtGate
            case .failed: .failing
            }
        case .abandoned: .abandoned
        case .told(_, let isTaken): isTaken ? .taken : .lost
        case .disconnected: .disconnected
        case .probed: .probed
        case .withdrawn: .withdrawn
        case .cycleEnded: .cycleEnded
        case .standingChanged: .standingChanged
        case .published: .published
        case .publicationsMayBeLost: .publicationsMayBeLost
        case .accessReplaced: .accessReplaced
        case .performed: .performed
        case .historyFound: .historyFound
        case .room: .room
        case .ready: .ready
        case .drain: .drain
        case .drainTimeEnded: .drainTimeEnded
        case .tick: .tick
        }
    }

    /// The event as a line of a trace.
    var line: String {
        switch self {
        case .received(let received):
            "\(received.caller.number)>\(received.request.id) \(received.principal.name) \(received.request.command)"
                .replacing("ForgeBusProtocol.", with: "")
        case .transition(let run, let transition, let values, let checkpoint):
            "transition of \(run) \(transition.line) \(values.values.count) values\(checkpoint.map { ", told to \($0.number)" } ?? "")"
        case .runEnded(let run, let actions, _, let flaw):
            "ended \(run) \(actions.map { "\($0.action) \($0.result)" }) \(flaw ?? "")"
        case .opened(let opening):
            "opened \(opening.signal) \(opening.waiting.kind) of \(opening.waiting.owner.label) by \(opening.waiting.waiter.number)"
        case .rested(let rest):
            "rested \(rest.run) at \(rest.action) behind \(rest.actions.count) by \(rest.waiter.number) \(rest.kind.line)"
        case .abandoned(let run, let action): "abandoned \(run) \(action ?? "-")"
        case .told(let told, let isTaken):
            "\(isTaken ? "taken" : "lost") \(told.key.caller.number) \(told.key.request) event \(told.sequence)"
        case .disconnected(let peer): "disconnected \(peer.number)"
        case .probed(let gone): "probed, \(gone.map(\.number).sorted()) are gone"
        case .withdrawn(let signal, let waiter, _): "withdrawn \(signal) by \(waiter.number)"
        case .cycleEnded(let monitor, let outcome): "cycle of \(monitor) ended \(outcome)"
        case .standingChanged(let monitor, let standing): "standing of \(monitor) \(standing)"
        case .published(let publication, let principal, let others):
            "published on \(publication.topic) by \(principal.name)\(others ? ", others may be lost" : "")"
        case .performed(let key, let result): "performed \(key.principal) \(key.id) \(result)"
        case .historyFound(let query, _): "history of \(query.name) found"
        case .room(let room): "room is \(room)"
        case .accessReplaced(let policy, _): "access \(Regime(policy))"
        case .publicationsMayBeLost, .ready, .drain, .drainTimeEnded, .tick: "\(kind)"
        }
    }
}

extension PipelineTransition {
    fileprivate var line: String {
        switch self {
        case .eligible(let actions): "eligible \(actions.map(\.rawValue))"
        case .started(let action): "started \(action)"
        case .finished(let report): "finished \(report.id) \(report.result)"
        }
    }
}

extension RunRest.Kind {
    fileprivate var line: String {
        switch self {
        case .gate(let signal, let rule, let deadline):
            "gate \(signal) for \(rule.allowed?.sorted() ?? ["anybody"]) until \(deadline as Any)"
        case .failed(let reason): "failed: \(reason)"
        }
    }

    /// The gate at which a run rests; nil where it rests for something else.
    var signal: SignalID? { if case .gate(let signal, _, _) = self { signal } else { nil } }
}

extension Request.Command {
    private static let kinds = Dictionary(uniqueKeysWithValues: EventKind.allCases.map { ("\($0)".uppercased(), $0) })

    /// The row of its word.
    fileprivate var kind: EventKind {
        guard let kind = Self.kinds[rules.word] else { fatalError("no row for \(rules.word)") }
        return kind
    }

    /// The run it is about; nil where it is about none.
    var run: RunID? {
        switch self {
        case .attach(let request): request.run
        case .cancel(let request): request.run
        case .redrive(let request): request.run
        case .show(let request): request.kind == .run ? request.name : nil
        default: nil
        }
    }
}
