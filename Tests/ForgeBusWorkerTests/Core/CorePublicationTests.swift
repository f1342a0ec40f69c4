import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("A published message")
struct CorePublicationTests {
    private var harness = CoreHarness(monitors: Self.monitors)
    private static let monitors = [
        HostedMonitor("stock", MonitorOrchestrator(), topics: ["orders.>"]),
        HostedMonitor("fraud", MonitorOrchestrator(), topics: ["payments.new"]),
        HostedMonitor("clock", MonitorOrchestrator(), topics: []),
    ]

    init() {
        for monitor in Self.monitors.indices { end(monitor, cycle: 1) }
        harness.advance(by: .seconds(1))
    }

    @discardableResult
    private mutating func end(_ monitor: Int, cycle: Int) -> [String] {
        harness.step(.cycleEnded(monitor: monitor, .ran(MonitorCycle(number: cycle, actions: []))))
    }

    @discardableResult
    private mutating func publish(_ topic: Name, othersMayBeLost: Bool = false) -> [String] {
        harness.step(
            .published(Publication(topic: topic), by: .local(source: nil), othersMayBeLost: othersMayBeLost)
        )
    }

    @Test("starts a cycle of each monitor that follows the topic, and nobody is answered")
    mutating func followers() {
        #expect(publish("orders.42") == ["cycle 0"])
        #expect(publish("payments.new") == ["cycle 1"])
        #expect(end(0, cycle: 2).isEmpty)
    }

    @Test("is followed as a notification is: by whole tokens, and not below a literal topic")
    mutating func matching() {
        for topic: Name in ["payments.newer", "payments.new.old", "payments", "orders", "weather"] {
            #expect(publish(topic).isEmpty)
        }
    }

    @Test("during a cycle shares exactly one more with all that come in it")
    mutating func during() {
        publish("orders.1")
        for _ in 0..<1_000 { #expect(publish("orders.2").isEmpty) }
        harness.advance(by: .seconds(1))
        #expect(end(0, cycle: 2) == ["cycle 0"])
        #expect(end(0, cycle: 3).isEmpty)
        #expect(harness.advance(by: .seconds(3600)).isEmpty)
    }

    @Test("tells the cycle's actions its topic, its sender's label and its body")
    mutating func causes() throws {
        let publication = Publication(topic: "orders.1", body: Array("7".utf8))
        let event = Event.published(publication, by: .local(source: "shop"), othersMayBeLost: false)
        let effects = harness.effects(of: event)
        guard case .runCycle(0, let causes) = try #require(effects.first) else { throw Missing("a cycle") }
        #expect(causes.topics.map(\.topic) == ["orders.1"])
        #expect(causes.topics.map(\.publisher) == ["local/shop"])
        #expect(causes.topics.map(\.lastBody) == [Array("7".utf8)])
    }

    @Test("after which others are missing owes one cycle to each monitor that follows anything, the followers included")
    mutating func missing() {
        #expect(publish("orders.42", othersMayBeLost: true) == ["cycle 0", "cycle 1"])
        harness.advance(by: .seconds(1))
        #expect(end(0, cycle: 2).isEmpty)
        #expect(end(1, cycle: 2).isEmpty)
        #expect(publish("weather", othersMayBeLost: true) == ["cycle 0", "cycle 1"])
    }

    @Test("that may be lost owes one cycle to each monitor that follows anything, and one more to a running one")
    mutating func mayBeLost() {
        #expect(publish("orders.1") == ["cycle 0"])
        #expect(harness.step(.publicationsMayBeLost) == ["cycle 1"])
        #expect(harness.step(.publicationsMayBeLost).isEmpty)
        harness.advance(by: .seconds(1))
        #expect(end(0, cycle: 2) == ["cycle 0"])
        #expect(end(1, cycle: 2) == ["cycle 1"])
        #expect(end(0, cycle: 3).isEmpty)
        #expect(end(1, cycle: 3).isEmpty)
    }

    @Test("that may be lost waits for the gap after the last cycle")
    mutating func gap() {
        publish("orders.1")
        end(0, cycle: 2)
        #expect(harness.step(.publicationsMayBeLost) == ["cycle 1"])
        #expect(harness.advance(by: .milliseconds(99)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["cycle 0"])
    }

    @Test("of whoever has no right to notify on its topic is told to the audit, and has no other effect, on no topic")
    mutating func forbidden() throws {
        let grants = AccessPolicy.Grants([.notify: AccessPolicy.Grant(allow: ["orders.>"])])
        let policy = try AccessPolicy([AccessPolicy.Member("shop", keys: [], grants: grants)])
        harness = CoreHarness(monitors: Self.monitors, access: policy)
        for monitor in Self.monitors.indices { end(monitor, cycle: 1) }
        harness.advance(by: .seconds(1))
        func published(_ topic: Name, by principal: AccessPolicy.Principal) -> Event {
            .published(Publication(topic: topic), by: principal, othersMayBeLost: true)
        }
        #expect(harness.step(published("payments.new", by: AccessPolicy.Principal("shop"))).isEmpty)
        #expect(harness.step(published("orders.1", by: .local(source: "shop"))).isEmpty)
        #expect(harness.audited.map(\.principal) == ["shop", "local"])
        let told: [AuditRecord.Event] = [
            .refused(grant: "notify on payments.new"), .refused(grant: "notify on orders.1"),
        ]
        #expect(harness.audited.map(\.event) == told)
        #expect(harness.step(published("orders.1", by: AccessPolicy.Principal("shop"))) == ["cycle 0", "cycle 1"])
        #expect(harness.audited.count == 2)
    }

    @Test("while the worker starts is covered by the evaluation at the start")
    mutating func starting() {
        harness = CoreHarness(monitors: Self.monitors, isReady: false)
        #expect(publish("orders.1", othersMayBeLost: true).isEmpty)
        #expect(harness.step(.publicationsMayBeLost).isEmpty)
        #expect(harness.step(.ready) == ["cycle 0", "cycle 1", "cycle 2"])
        for monitor in Self.monitors.indices { #expect(end(monitor, cycle: 1).isEmpty) }
    }

    @Test("while the worker stops has no effect")
    mutating func stopping() {
        #expect(harness.step(.drain) == ["drained"])
        #expect(publish("orders.1", othersMayBeLost: true).isEmpty)
        #expect(harness.step(.publicationsMayBeLost).isEmpty)
    }
}
