import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// What can happen to the core, as rows of the coverage table: each command, each other event, and that its worker dies.
enum EventKind: Hashable, CaseIterable, CustomStringConvertible {
    /// By its place among the words of the protocol.
    case command(Int)
    case other(Other)

    enum Other: Int, CaseIterable {
        case transition, printed, runEnded, opened, restingAtGate, requesting, failing, abandoned, withdrawn,
            cycleEnded,
            runRequested, standingChanged
        case taken, lost, disconnected, replaced, probed
        case published, publicationsMayBeLost, accessReplaced, performed, lookedUp, room, ready, drain
        case drainTimeEnded, tick, crash
    }

    static let allCases = Request.Command.words.indices.map(command) + Other.allCases.map(other)
    private static let places = Dictionary(uniqueKeysWithValues: Request.Command.words.enumerated().map { ($1, $0) })
    private static let ledgered = Set(Request.Command.verbs.filter { $0.isLedgered }.flatMap { $0.words })

    init(_ command: Request.Command) {
        guard let place = Self.places[command.rules.word] else { fatalError("no row for \(command.rules.word)") }
        self = .command(place)
    }

    /// Its row of the table.
    var row: Int {
        switch self {
        case .command(let place): place
        case .other(let other): Request.Command.words.count + other.rawValue
        }
    }

    /// Whether it is a command that is done once, and so has a state of its own in the ledger.
    var isLedgered: Bool {
        if case .command(let place) = self { Self.ledgered.contains(Request.Command.words[place]) } else { false }
    }

    var description: String {
        switch self {
        case .command(let place): Request.Command.words[place].lowercased()
        case .other(let other): "\(other)"
        }
    }
}

extension Event {
    var kind: EventKind {
        switch self {
        case .received(let received): EventKind(received.request.command)
        case .transition: .other(.transition)
        case .printed: .other(.printed)
        case .runEnded: .other(.runEnded)
        case .opened: .other(.opened)
        case .rested(let rest):
            switch rest.kind {
            case .gate: .other(.restingAtGate)
            case .request: .other(.requesting)
            case .failed: .other(.failing)
            }
        case .abandoned: .other(.abandoned)
        case .told(_, let isTaken): .other(isTaken ? .taken : .lost)
        case .disconnected: .other(.disconnected)
        case .replaced: .other(.replaced)
        case .probed: .other(.probed)
        case .withdrawn: .other(.withdrawn)
        case .cycleEnded: .other(.cycleEnded)
        case .runRequested: .other(.runRequested)
        case .standingChanged: .other(.standingChanged)
        case .published: .other(.published)
        case .publicationsMayBeLost: .other(.publicationsMayBeLost)
        case .accessReplaced: .other(.accessReplaced)
        case .performed: .other(.performed)
        case .lookedUp: .other(.lookedUp)
        case .room: .other(.room)
        case .ready: .other(.ready)
        case .drain: .other(.drain)
        case .drainTimeEnded: .other(.drainTimeEnded)
        case .tick: .other(.tick)
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
        case .printed(let run, let output): "\(output.action) of \(run) printed"
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
        case .replaced(let caller): "replaced \(caller.number) of \(caller.principal)"
        case .probed(let gone): "probed, \(gone.map(\.number).sorted()) are gone"
        case .withdrawn(let signal, let waiter, _): "withdrawn \(signal) by \(waiter.number)"
        case .cycleEnded(let monitor, let outcome): "cycle of \(monitor) ended \(outcome)"
        case .runRequested(let request): "remedy of \(request.monitor) by \(request.action)"
        case .standingChanged(let monitor, let standing): "standing of \(monitor) \(standing)"
        case .published(let publication, let principal, let others):
            "published on \(publication.topic) by \(principal.name)\(others ? ", others may be lost" : "")"
        case .performed(let key, let result): "performed \(key.principal) \(key.id) \(result)"
        case .lookedUp(let query, _): "history of \(query.name) found"
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
        case .gate(let signal, let rule, let deadline, _):
            "gate \(signal) under \(JSONValue.object(rule.json)) until \(deadline as Any)"
        case .request(let requested): "request of \(requested.pipeline)"
        case .failed(let reason): "failed: \(reason)"
        }
    }

    /// The gate at which a run rests; nil where it rests for something else.
    var signal: Name? { if case .gate(let signal, _, _, _) = self { signal } else { nil } }
}

extension Request.Command {
    /// The run it is about; nil where it is about none.
    var run: Name? {
        switch self {
        case .attach(let request): request.run
        case .cancel(let request): request.run
        case .redrive(let request): request.run
        case .show(let request): request.kind == .run ? request.name : nil
        default: nil
        }
    }
}
