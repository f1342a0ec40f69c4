import ForgeBusProtocol
import ForgeOrchestrator

@testable import ForgeBusWorker

/// A lane with a time of its own, woken when it wants to be, and short words for what a test does to it.
struct LaneUnderTest {
    private(set) var lane: MonitorLane
    private(set) var now = Moment(nanoseconds: 0, unixMilliseconds: 0)
    private var wake: (moment: Moment, number: Int)?
    /// How often it was woken.
    private(set) var wakings = 0

    init(_ timing: CycleTiming = CycleTiming(), seed: String = "") {
        lane = MonitorLane(name: "m", topics: ["orders.>"], timing: timing, seed: seed)
    }

    /// Something is said, and somebody asks to be told.
    mutating func notify(_ evaluation: UInt64? = nil, on topic: Name = "orders.1") -> [String] {
        let notice = Notice(topic, by: "local", at: 0)
        return lines(lane.notified(notice, telling: evaluation.map { EvaluationID(number: $0) }, at: now))
    }

    mutating func start(within spread: Duration = .zero) -> [String] {
        lines(lane.open(within: spread, at: now))
    }

    /// The cycle is over: whom it covered, then what is next.
    mutating func end(failed: Bool = false) -> [String] { end(failed ? .failed("no") : .ran) }

    mutating func end(_ outcome: MonitorLane.Outcome) -> [String] {
        let (told, next, _) = lane.cycleEnded(outcome, at: now)
        return (told.isEmpty ? [] : ["ended for \(told.map(\.number))"]) + lines(next)
    }

    /// The latest ended cycle, as the lane tells it now.
    var last: LastCycle? { lane.item(at: now).last }

    /// How long it takes until the next cycle, as the lane tells it.
    var announced: Duration? { lane.nextCycle?.since(now) }

    mutating func stand(_ standing: MonitorStanding) -> [String] { lines(lane.standingChanged(standing, at: now)) }
    mutating func drain() -> [String] { lines(lane.drain(at: now)) }
    mutating func forget(_ evaluation: UInt64) { lane.forget(EvaluationID(number: evaluation)) }
    mutating func showScreen(for time: Duration?) {
        lane.showScreen(for: time, at: now)
        arm()
    }

    /// Time goes on, and the lane is woken whenever it wants to be.
    mutating func pass(_ duration: Duration) -> [String] {
        let end = now.advanced(by: duration)
        var all: [String] = []
        while let wake, wake.moment <= end {
            now = max(now, wake.moment)
            self.wake = nil
            wakings += 1
            all += lines(lane.woken(wake.number, at: now))
        }
        now = end
        return all
    }

    /// How long it takes until something happens; nil if nothing does.
    mutating func timeUntilNext() -> Duration? {
        let start = now
        while let wake {
            if !pass(wake.moment.since(now)).isEmpty { return now.since(start) }
        }
        return nil
    }

    private mutating func lines(_ actions: [MonitorLane.Action]) -> [String] {
        arm()
        return actions.map(\.line)
    }

    /// A later waking takes the place of the one before, as the lane knows.
    private mutating func arm() { if let next = lane.nextWake() { wake = next } }
}

extension MonitorStanding {
    /// No excluded screen is showing.
    static var free: MonitorStanding { MonitorStanding(isExcluded: false, holdsBack: false) }
    /// An excluded screen is showing.
    static var excluded: MonitorStanding { MonitorStanding(isExcluded: true, holdsBack: false) }
    /// An excluded screen is showing, and a cycle waits for it to leave.
    static var heldBack: MonitorStanding { MonitorStanding(isExcluded: true, holdsBack: true) }
}

extension MonitorLane.Action {
    fileprivate var line: String {
        switch self {
        case .begin(let causes): causes.isEmpty ? "begin" : "begin for \(causes.count)"
        case .cancel: "cancel"
        case .tell(let evaluations, .overdue): "overdue for \(evaluations.map(\.number))"
        case .tell(let evaluations, .excluded): "excluded for \(evaluations.map(\.number))"
        case .endMode: "end mode"
        }
    }
}
