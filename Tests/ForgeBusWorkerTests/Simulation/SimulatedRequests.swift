import ForgeBusProtocol

@testable import ForgeBusWorker

/// What clients ask for: names are few, so that they meet, and some of them mean nothing.
extension SimulatedBus {
    /// A client asks for something, or sends again what it waits for.
    mutating func request() {
        // Most of them by those who may do something; carl only decides.
        let client =
            isVoting
            ? generator.below(11) / 2 : [0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 4, 5].randomElement(using: &generator) ?? 0
        guard clients[client].pending.count < 6 else { return resend() }
        if generator.oneIn(6), askAgain(client) { return }
        let command = command(of: client)
        if case .unwatch = command { return unwatch(client) }
        ask(command, by: client, under: clients[client].newID(for: command))
    }

    private mutating func ask(_ command: Request.Command, by client: Int, under id: String) {
        guard let id = try? RequestID(id) else { fatalError("No id: \(id)") }
        let request = Request(command, id: id)
        network.send(clients[client].ask(request))
    }

    /// Another process of the same principal takes over a request, or somebody uses an id for something else.
    private mutating func askAgain(_ client: Int) -> Bool {
        let principal = clients[client].principal
        let owner = clients[generator.below(clients.count)]
        guard owner.principal == principal, !owner.asked.isEmpty else { return false }
        let number = generator.below(owner.asked.count)
        guard let id = try? RequestID("l\(owner.number)-\(number)"), !clients[client].waits(for: id) else {
            return false
        }
        if generator.oneIn(2) {
            ask(owner.asked[number], by: client, under: id.text)
        } else {
            // Nobody waits for the answer: whoever does this does not know what it does.
            let other = Request(ledgered(), id: id)
            network.send(Received(other, from: clients[client].peer, as: principal))
        }
        return true
    }

    /// A watch ends, one that this client began or one that nobody did.
    private mutating func unwatch(_ client: Int) {
        guard let id = clients[client].pending.first(where: \.isWatch)?.request.id ?? (try? RequestID("none")) else {
            return
        }
        network.send(Received(Request(.unwatch, id: id), from: clients[client].peer, as: clients[client].principal))
    }

    private mutating func command(of client: Int) -> Request.Command {
        switch generator.below(21) {
        case 0...10: ledgered()
        case 11...13: notification()
        case 14...15: .attach(attachment())
        case 16...17: .watch(WatchRequest(watched(), credit: 1 + generator.below(4)))
        case 18...19:
            switch generator.below(4) {
            case 0: .list(listed())
            case 1: .unwatch
            default: .show(shown())
            }
        default: Request.Command.bare.randomElement(using: &generator) ?? .hello
        }
    }

    /// A command that is done once, however often it comes.
    private mutating func ledgered() -> Request.Command {
        if isVoting, generator.oneIn(2) { return generator.oneIn(5) ? .withdraw(withdrawal()) : .decide(decision()) }
        // The store is asked while many runs wait, too.
        let isCrowded = BusSetting.pipelines.contains { harness.core.queues.isFull($0) }
        if isCrowded, generator.oneIn(4) { return .admin(AdminRequest("store.verify")) }
        return switch generator.below(28) {
        case 0...6: .run(run())
        case 7...13: .decide(decision())
        case 14...15: .cancel(CancelRequest(run: runID(), durability: durability()))
        case 16...17: .redrive(RedriveRequest(run: parkedID(), durability: durability()))
        case 18: .mode(mode())
        case 20...21: .steer(steering())
        case 19: .withdraw(withdrawal())
        case 24...27: .pause(pausing())
        default: .admin(AdminRequest(generator.oneIn(3) ? "store.none" : "store.verify"))
        }
    }

    /// Many runs at once: mostly with their number as it is now.
    private mutating func steering() -> SteeringRequest {
        let change: SteeringRequest.Change = generator.oneIn(3) ? .cancel(reason: "") : .redrive
        let state: RunFilter.State? = generator.oneIn(2) ? nil : generator.oneIn(2) ? .parked : .waiting
        // Mostly one that has a run which can be changed.
        let likely = harness.core.runs.unfinished.filter { !$0.isStopping && (change != .redrive || $0.isParked) }
            .map(\.pipeline).min()
        let any = BusSetting.pipelines[generator.below(BusSetting.pipelines.count)]
        let pipeline = generator.oneIn(3) ? any : likely ?? any
        let count = harness.core.runs.unfinished.count { run in
            run.pipeline == pipeline && !run.isStopping && (change != .redrive || run.isParked)
                && (state.map { $0.rawValue == run.standing.rawValue } ?? true)
        }
        return SteeringRequest(
            change,
            RunFilter(state: state, pipeline: pipeline, prefix: generator.oneIn(8) ? "run" : nil),
            expecting: generator.oneIn(6) ? generator.below(3) : count,
            durability: durability()
        )
    }

    private mutating func run() -> RunRequest {
        RunRequest(
            pipeline: generator.oneIn(25) ? "unknown" : generator.oneIn(3) ? "q" : "p",
            seeds: generator.oneIn(25)
                ? ["undeclared": true]
                : generator.oneIn(3) ? ["s": "what takes room"] : generator.oneIn(2) ? ["k": "x"] : [:],
            isDetached: generator.oneIn(8),
            wantsProgress: generator.oneIn(4),
            deadline: generator.oneIn(4) ? .seconds(1 + generator.below(6)) : nil,
            durability: durability()
        )
    }

    private mutating func durability() -> Durability? { generator.oneIn(12) ? .fsynced : nil }

    private mutating func decision() -> Decision {
        // More than a digest takes, so that books give some of them up.
        let isLong = generator.oneIn(3)
        let value = [UInt8](repeating: generator.oneIn(4) ? 0x32 : 0x31, count: isLong ? 40 : 1)
        let isApproved = !generator.oneIn(3)
        let waiting = (tasks.flatMap { $0.waits.map(\.signal) } + resting.compactMap(\.rest.kind.signal))
            .randomElement(using: &generator)
        let voted = generator.oneIn(isVoting ? 1 : 2) ? votedSignals.randomElement(using: &generator) : nil
        let likely = voted ?? (generator.oneIn(3) ? nil : waiting)
        let isDeclared = !generator.oneIn(20)
        return Decision(
            signal: likely ?? Name(unchecked: isDeclared ? "g\(signalNumber(reach: 5))" : "none.such"),
            outcome: isApproved ? .approved(value: value) : .rejected(reason: "no"),
            keep: keep(),
            durability: durability()
        )
    }

    private mutating func withdrawal() -> WithdrawRequest {
        WithdrawRequest(signal: undecidedSignal() ?? decision().signal, durability: durability())
    }

    /// How long to keep a decision: not for a day, during which its sender could not decide early again.
    private mutating func keep() -> Duration? {
        if generator.oneIn(BusSetting.expectsGates(seed) ? 3 : 12) { return nil }
        return generator.oneIn(4) ? .zero : .milliseconds(500 + generator.below(8_000))
    }

    /// A signal with early decisions or votes, if there is one.
    private mutating func undecidedSignal() -> Name? {
        guard !generator.oneIn(4) else { return nil }
        let early = harness.core.signals.early.signals.sorted { $0.text < $1.text }
        return (early + votedSignals).randomElement(using: &generator)
    }

    /// The gates that have votes and need more.
    private var votedSignals: [Name] {
        let gates = harness.core.signals
        return gates.waiting.order.names.filter { gates.waiting[$0]?.terms.votes.isEmpty == false }
            .sorted { $0.text < $1.text }
    }

    /// The number of a signal: those that are in use, those that were, and the next ones.
    mutating func signalNumber(reach: Int) -> Int {
        if generator.oneIn(6) { return generator.below(opened / 2 + 1) }
        return opened / 2 + generator.below(reach)
    }

    private mutating func notification() -> Request.Command {
        .notify(
            StateChange(
                topic: BusSetting.topics[generator.below(BusSetting.topics.count)],
                wantsEvaluation: generator.oneIn(2),
                deadline: generator.oneIn(2) ? .milliseconds(300 + generator.below(3_000)) : nil,
                durability: durability()
            )
        )
    }

    private mutating func attachment() -> AttachRequest {
        let patience: Duration? = generator.oneIn(3) ? .zero : .milliseconds(generator.below(4_000))
        return AttachRequest(
            run: runID(),
            patience: generator.oneIn(3) ? nil : patience,
            wantsProgress: generator.oneIn(2)
        )
    }

    private mutating func mode() -> ModeRequest {
        let pattern: NamePattern =
            generator.oneIn(8) ? "nobody" : generator.oneIn(3) ? ">" : generator.oneIn(2) ? "m" : "n"
        let screen = generator.oneIn(4) ? nil : generator.oneIn(3) ? "harmless" : SimulatedMonitor.excludedScreen
        return ModeRequest(pattern, screen: screen, for: .milliseconds(200 + generator.below(3_000)))
    }

    private mutating func pausing() -> PauseRequest {
        let isMonitor = generator.oneIn(2)
        let names: [Name] = isMonitor ? ["m", "n"] : BusSetting.pipelines
        let name = generator.oneIn(12) ? "unknown" : names[generator.below(names.count)]
        let subject = PauseSubject(isMonitor ? .monitor : .pipeline, name)
        if generator.oneIn(2) { return PauseRequest(subject, .resume) }
        let time: Duration = .milliseconds(200 + generator.below(3_000))
        return PauseRequest(subject, .pause(for: isMonitor || !generator.oneIn(4) ? time : nil, reason: ""))
    }

    /// Resumes what would be paused for ever.
    mutating func resumeAll() {
        for pause in harness.core.pauses.records where pause.until == nil && !harness.core.hasLeft {
            let command = Request.Command.pause(PauseRequest(pause.subject, .resume))
            ask(command, by: 0, under: clients[0].newID(for: command))
        }
    }

    private mutating func watched() -> NamePattern {
        let patterns: [NamePattern] = ["run.>", "run.p.*", "signal.>", "monitor.>", ">"]
        return patterns[generator.below(patterns.count)]
    }

    private mutating func listed() -> ListRequest {
        var request = ListRequest(kind: ListKind.allCases[generator.below(ListKind.allCases.count)])
        guard request.kind == .runs || request.kind == .signals else { return request }
        request.order = generator.oneIn(2) ? .newest : .oldest
        request.limit = generator.oneIn(2) ? 2 : 100
        if request.kind == .runs {
            request.filter.state = generator.oneIn(2) ? ListFilter.State.allCases.randomElement(using: &generator) : nil
        }
        if generator.oneIn(4) { request.filter.pipeline = "p" }
        if generator.oneIn(4) { request.filter.olderThan = .milliseconds(generator.below(1_000)) }
        return request
    }

    private mutating func shown() -> ShowRequest {
        switch generator.below(7) {
        case 0: ShowRequest(.run, runID())
        case 6: ShowRequest(.output, runID())
        case 5: ShowRequest(.run, unfinishedID() ?? runID())
        case 4: ShowRequest(.history, generator.oneIn(2) ? runID() : "m")
        case 1: ShowRequest(.signal, Name(unchecked: "g\(signalNumber(reach: 2))"))
        case 2: ShowRequest(.monitor, generator.oneIn(6) ? "nobody" : generator.oneIn(2) ? "m" : "n")
        default: ShowRequest(.pipeline, generator.oneIn(6) ? "unknown" : "p")
        }
    }

    /// One of the runs that began, or one that has not yet.
    private mutating func runID() -> Name {
        let unfinished = tasks.map(\.run) + resting.map(\.rest.run)
        if let run = unfinished.randomElement(using: &generator), generator.oneIn(2) { return run }
        let number = generator.below(begun.count + 1)
        return number < begun.count ? begun[number] : harness.core.runs.numbers.next
    }

    /// One of the runs that have not ended, in whatever state.
    private mutating func unfinishedID() -> Name? {
        harness.core.runs.unfinished.map(\.id).sorted { $0.text < $1.text }.randomElement(using: &generator)
    }

    private mutating func parkedID() -> Name {
        if !generator.oneIn(4), let parked = resting.first(where: \.isParked) { return parked.rest.run }
        return runID()
    }
}
