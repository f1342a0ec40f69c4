import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("What the worker says of a monitor")
struct CoreMonitorItemTests {
    private var harness = CoreHarness(
        monitors: [
            HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"]),
            HostedMonitor("quiet", MonitorOrchestrator(), topics: []),
        ]
    )

    private mutating func answer(to command: Request.Command) throws -> Answer.Content {
        let received = Received(Request(command), from: 1)
        guard case .answer(let answer, _) = harness.effects(of: .received(received)).first else {
            throw Missing("an answer")
        }
        return answer.content
    }

    private mutating func listed() throws -> [MonitorItem] {
        guard case .page(let page) = try answer(to: .list(ListRequest(kind: .monitors))) else {
            throw Missing("a page")
        }
        return try page.items.map { try MonitorItem($0) }
    }

    private mutating func shown(_ name: Name = "m") throws -> MonitorItem {
        guard case .shown(let item) = try answer(to: .show(ShowRequest(.monitor, name))) else { throw Missing("it") }
        return try MonitorItem(item)
    }

    private mutating func end(_ outcome: MonitorOutcome) { harness.step(.cycleEnded(monitor: 0, outcome)) }

    private static func cycle(_ number: Int, failing: Bool = false) -> MonitorOutcome {
        let result: ActionResult = failing ? .failed("no disk") : .completed
        let report = ActionReport(id: "check", result: result, start: .zero, duration: .zero)
        return .ran(MonitorCycle(number: number, actions: [report]))
    }

    @Test("is the same in lists and alone, with the latest cycle, whose age is rounded up")
    mutating func items() throws {
        let first = try listed()
        #expect(first.map(\.name.text) == ["m", "quiet"] && first.allSatisfy { $0.last == nil })
        harness.advance(by: .microseconds(1_200))
        end(Self.cycle(1))
        harness.advance(by: .microseconds(1_900))
        let item = try shown()
        #expect(item.last == LastCycle(beganAgo: .milliseconds(4), took: .milliseconds(1), state: .ran))
        #expect(item.topics == ["a.>"] && item.state == .idle && item.cycles == 1)
        let (quiet, all) = (try shown("quiet"), try listed())
        #expect(all == [item, quiet] && quiet.topics.isEmpty && quiet.last == nil)
    }

    @Test("has what it did last in its event, and among the failing ones of the worker")
    mutating func events() throws {
        harness.send(.watch(WatchRequest("monitor.m", credit: 10)), id: "w", from: 5)
        harness.advance(by: .milliseconds(7))
        let effects = harness.effects(of: .cycleEnded(monitor: 0, Self.cycle(1, failing: true)))
        let bodies = effects.compactMap { if case .tell(let told) = $0 { told.body } else { nil } }
        let body = try #require(bodies.last)
        let event = try MonitorItem(body)
        #expect(event.last == LastCycle(beganAgo: .milliseconds(7), took: .milliseconds(7), state: .failed))
        #expect(event.failure?.count == 1 && event.state == .owed && event.topics.isEmpty)
        harness.advance(by: .milliseconds(2))
        let worker = harness.core.description(for: .local, at: harness.now)
        let failing = try #require(worker.failing.first)
        let alone = try shown()
        #expect(failing == alone && failing.last?.beganAgo == .milliseconds(9))
    }

    @Test("does not count a cycle that evaluated nothing, though who waits for it is told that it ran")
    mutating func stopped() throws {
        end(Self.cycle(1, failing: true))
        harness.advance(by: .seconds(2))
        end(.stopped)
        let last = try shown().last
        #expect(last?.state == .failed && last?.beganAgo == .seconds(2))
    }

    @Test("is by whom, until when and why it is paused, and no more than excluded in its state")
    mutating func paused() throws {
        let subject = PauseSubject(.monitor, "m")
        harness.send(.pause(PauseRequest(subject, .pause(for: .seconds(10), reason: "CHG-7"))), id: "p")
        end(Self.cycle(1))
        harness.step(.standingChanged(monitor: 0, .excluded))
        let (item, now) = (try shown(), harness.now.unixMilliseconds)
        #expect(item.state == .excluded && item.last?.state == .ran)
        #expect(item.pause == PauseItem(by: "local", since: now, until: now + 10_000, reason: "CHG-7"))
        let all = try listed()
        #expect(all.first == item)
    }

    @Test("is announced by the feature `last`")
    mutating func feature() throws {
        guard case .welcome(let welcome) = try answer(to: .hello) else { throw Missing("a WELCOME") }
        #expect(welcome.features == [Welcome.actingFor, Welcome.lastCycle])
    }
}

@Suite("The digests of what the worker has in force")
struct CoreDigestTests {
    @Test("are that of its definitions, and of the access policy, which changes with it")
    func digests() throws {
        let (first, second) = (try Self.policy(reading: ">"), try Self.policy(reading: "run.>"))
        var harness = CoreHarness(access: first)
        let before = harness.core.description(for: nil, at: harness.now)
        #expect(before.access == first.digest)
        harness.step(.accessReplaced(second, by: "test"))
        let item = harness.core.description(for: nil, at: harness.now)
        #expect(item.access == second.digest && first.digest != second.digest)
        #expect(item.definitions == nil)
        _ = harness.restart(from: []) { $0.definitions = "9f86d081" }
        let defined = harness.core.description(for: nil, at: harness.now)
        #expect(defined.definitions == "9f86d081")
    }

    private static func policy(reading pattern: NamePattern) throws -> AccessPolicy {
        let grants = AccessPolicy.Grants([.read: AccessPolicy.Grant(allow: [pattern])])
        return try AccessPolicy([.init("ada", keys: [], grants: grants)])
    }

    @Test("are absent without keys and without definitions")
    func absent() {
        let harness = CoreHarness()
        let item = harness.core.description(for: .local, at: harness.now)
        #expect(item.access == nil && item.definitions == nil)
    }
}
