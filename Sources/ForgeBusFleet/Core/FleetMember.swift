import ForgeBusProtocol
import ZeroMQ

/// One worker of a fleet while it is asked: where the conversation is, and what it has said so far.
struct FleetMember {
    typealias Instant = ContinuousClock.Instant

    /// The request that a worker answers.
    enum Step: Hashable {
        /// HELLO: whether it is the worker that the inventory names.
        case greeting
        case notifying(StateChange)
        /// LIST of its monitors, from this cursor.
        case listing(after: String?)
        case describing
        case running(RunRequest, id: RequestID)
    }

    /// A request that waits for its last answer.
    struct Asking: Hashable {
        let step: Step
        /// When the request was first sent, or earlier.
        let sent: Instant
        /// Whether the worker has accepted the notification or the run.
        var isAccepted = false
    }

    enum Phase: Hashable {
        case queued
        case asking(Asking)
        case resting
        case done
    }

    /// What follows an answer.
    enum Turn {
        case ask(Step)
        case settled
    }

    let worker: Inventory.Worker
    private let expected: Set<Name>
    var phase = Phase.queued
    /// How many times the worker has been asked in full.
    var rounds = 0
    /// What is known of the worker itself; nil before the first conversation has ended, and if its monitors are known.
    private var verdict: FleetReport.Line?
    /// What is known of its monitors.
    private var subjects: [Name: FleetReport.Line] = [:]
    /// What LIST has said so far; it counts once all pages have come, because a part of the monitors says nothing of the
    /// worker.
    private var listed: [Name: FleetReport.Line] = [:]
    /// What EVALUATED has said, for the monitors that LIST has not yet described.
    private var receipts: [Name: FleetReport.Line] = [:]
    private var seen: Set<Name> = []
    /// Whether the latest cycle of a monitor in LIST has not covered the change.
    private var hasNotHeard = false
    /// Whether the worker has refused to name its monitors: then it is notified again instead.
    private var mayNotRead = false
    private var tellsLast = true

    init(_ worker: Inventory.Worker, expecting expected: Set<Name>) {
        (self.worker, self.expected) = (worker, expected)
    }

    /// The lines of the report; at least one.
    var lines: [FleetReport.Line] {
        if let verdict { return [verdict] }
        return subjects.isEmpty ? [line(.notAsked)] : Array(subjects.values)
    }

    /// The worst state of its lines.
    var worst: FleetState { lines.lazy.map(\.state).min() ?? .notAsked }

    private func line(_ state: FleetState, because reason: String? = nil) -> FleetReport.Line {
        FleetReport.Line(worker.name, nil, state, because: reason)
    }
}

// Answers.
extension FleetMember {
    /// Takes the last answer to a request.
    mutating func took(
        _ content: Answer.Content,
        of request: Asking,
        _ question: FleetQuestion,
        since change: Instant?
    ) -> Turn {
        switch (request.step, content) {
        case (.greeting, .welcome(let welcome)): return greeted(welcome, question)
        case (.notifying, .evaluated(let evaluation)): return evaluated(evaluation)
        case (.listing(let cursor), .page(let page)):
            return read(page, after: cursor, request, question, since: change)
        case (.describing, .shown(let item)):
            verdict = line(.here)
            verdict?.details = item
            return .settled
        case (.running, .result(let result)):
            verdict = line(result.state == .completed ? .completed : .failed, because: Errors.reason(of: result))
            verdict?.subject = result.run.text
            return .settled
        default:
            verdict = line(.unknown, because: Errors.unexpected(content.word))
            return .settled
        }
    }

    private mutating func greeted(_ welcome: Welcome, _ question: FleetQuestion) -> Turn {
        guard welcome.worker == worker.name.text else {
            verdict = line(.wrongWorker, because: Errors.wrongWorker(welcome.worker, insteadOf: worker.name))
            return .settled
        }
        tellsLast = welcome.features.contains(Welcome.lastCycle)
        receipts = [:]
        switch question {
        // Asked again, the worker may have evaluated meanwhile, for instance because it has started anew.
        case .notify(let change): return .ask(rounds == 0 || mayNotRead ? .notifying(change) : .listing(after: nil))
        case .monitors: return .ask(.listing(after: nil))
        case .workers: return .ask(.describing)
        case .run(let request, let id):
            do throws(BusError) {
                return .ask(.running(request, id: try RequestID("\(id)/\(worker.name)")))
            } catch {
                verdict = line(.failed, because: error.message)
                return .settled
            }
        }
    }

    private mutating func evaluated(_ evaluation: Evaluation) -> Turn {
        for part in evaluation.monitors { receipts[part.monitor] = FleetReport.Line(worker.name, part) }
        for monitor in evaluation.pending {
            receipts[monitor] = FleetReport.Line(worker.name, monitor.text, .pending, because: Errors.pending)
        }
        guard receipts.isEmpty else {
            (verdict, subjects) = (nil, receipts)
            return receipts.values.allSatisfy { $0.state == .converged } ? .settled : .ask(.listing(after: nil))
        }
        // A worker that follows the topic with no monitor may lack one that it should have.
        guard expected.isEmpty else { return .ask(.listing(after: nil)) }
        verdict = line(.noMonitor, because: Errors.noMonitor)
        return .settled
    }

    private mutating func read(
        _ page: Page,
        after cursor: String?,
        _ request: Asking,
        _ question: FleetQuestion,
        since change: Instant?
    ) -> Turn {
        if cursor == nil { (listed, seen, hasNotHeard) = (receipts, [], false) }
        for json in page.items {
            let item: MonitorItem
            do throws(BusError) { item = try MonitorItem(json) } catch {
                // What it says about this monitor is not known, so nothing good is known of the worker.
                verdict = line(.unknown, because: error.message)
                return .settled
            }
            seen.insert(item.name)
            guard question.choice.contains(item) else { continue }
            var line = FleetReport.Line(worker.name, item, sent: request.sent, since: change, tellsLast: tellsLast)
            if let receipt = receipts[item.name] { line.weigh(receipt) }
            listed[item.name] = line
            // A failure may be older than the change, too.
            let isOlder = item.last.map { !FleetReport.Line.covers($0, request.sent, change) } ?? true
            if isOlder, line.state != .waived, line.state != .excluded { hasNotHeard = true }
        }
        if let next = page.cursor { return .ask(.listing(after: next)) }
        // It had not heard of the change.
        if case .notify(let change) = question, receipts.isEmpty, hasNotHeard { return .ask(.notifying(change)) }
        return conclude(question.choice)
    }

    /// Ends a conversation in which the worker has named all its monitors.
    private mutating func conclude(_ choice: MonitorChoice) -> Turn {
        (verdict, subjects) = (nil, listed)
        // Which topics a missing monitor follows is not known, so it is told only if no other one follows the topic.
        if subjects.isEmpty || !choice.isTopic {
            for name in expected.subtracting(seen) where choice.mayContain(name) {
                subjects[name] = FleetReport.Line(worker.name, name.text, .missing, because: Errors.missing)
            }
        }
        if subjects.isEmpty { verdict = line(.noMonitor, because: Errors.noMonitor) }
        return .settled
    }

    /// Whether the worker may say something better later.
    func isWorthAskingAgain(for question: FleetQuestion) -> Bool {
        switch question {
        case .notify, .monitors: ![.good, .nothing].contains(worst.kind)
        case .workers: worst != .here
        // A run has one outcome.
        case .run: false
        }
    }
}

// Failures.
extension FleetMember {
    mutating func failed(_ error: BusError, _ handshake: HandshakeFailure?, in request: Asking) {
        if case .listing = request.step {
            if error.code == .forbidden { mayNotRead = true }
            // A notification was evaluated, and only the description of what went wrong is missing.
            if !receipts.isEmpty { return }
        }
        subjects = [:]
        verdict = line(Self.state(after: error, handshake, request), because: error.message)
    }

    private static func state(after error: BusError, _ handshake: HandshakeFailure?, _ request: Asking) -> FleetState {
        let isRun = if case .running = request.step { true } else { false }
        // What the worker has accepted goes on, whatever became of the wait for it.
        if request.isAccepted { return isRun ? .unknown : error.code == .forbidden ? .refused : .pending }
        switch error.code {
        case .forbidden: return .refused
        case .unsupportedVersion, .unknownCommand: return .tooOld
        case .timeout, .unreachable, .closed, .cancelled:
            if isRun, error.code != .unreachable { return .unknown }
            return switch handshake {
            case .refused: .refused
            case .protocolError, .ended: .wrongKey
            case nil: .silent
            }
        default:
            // The worker refused the run, so nothing has begun.
            return isRun && error.code != .badAnswer && error.code != .otherStore ? .failed : .unknown
        }
    }

    /// Records that the asker's time is over before the conversation is.
    mutating func giveUp() {
        guard case .asking(let asking) = phase else { return }
        switch asking.step {
        case .greeting: if verdict == nil, subjects.isEmpty { verdict = line(.silent, because: Errors.timeOver) }
        case .notifying, .listing, .describing:
            if verdict != nil || subjects.isEmpty { verdict = line(.pending, because: Errors.timeOver) }
        case .running: verdict = line(.unknown, because: Errors.timeOver)
        }
    }
}

extension MonitorChoice {
    fileprivate var isTopic: Bool { if case .following = self { true } else { false } }

    /// Whether a monitor of this name may be chosen, of which nothing else is known.
    fileprivate func mayContain(_ name: Name) -> Bool {
        switch self {
        case .all, .following: true
        case .named(let patterns): patterns.contains { $0.matches(name) }
        }
    }
}

extension FleetQuestion {
    /// The monitors that the question is about.
    fileprivate var choice: MonitorChoice {
        switch self {
        case .notify(let change): .following(change.topic)
        case .monitors(let choice, _): choice
        case .workers, .run: .all
        }
    }
}
