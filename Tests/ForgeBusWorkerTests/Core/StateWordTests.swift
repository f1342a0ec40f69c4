import ForgeBusProtocol
import Foundation
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("The words of `state` in Protocol.md")
struct StateWordTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")))])

    /// What the page says of an item, under PAGE.
    private func words(of item: String) throws -> Set<String> {
        let text = try Repository.text(of: "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/Protocol.md")
        let table = try #require(text.firstRange(of: "\n| item | words |\n"))
        let rows = text[table.upperBound...].prefix { $0 != "#" }.split(separator: "\n")
        let row = try #require(rows.first { $0.hasPrefix("| \(item) | ") })
        return Set(row.matches(of: /`([^`]+)`/).map { String($0.1) })
    }

    @Test("are those that a run can have")
    func runs() throws {
        let others: Set<StateReport.State> = [
            .creditEnded, .unwatched, .withdrawn, .nothing, .decided, .set, .paused, .resumed, .done,
        ]
        let own = StateReport.State.allCases.filter { !others.contains($0) }
        #expect(try words(of: "run") == Set(own.map(\.rawValue)))
    }

    @Test("are those that a monitor can have")
    func monitors() throws {
        #expect(try words(of: "monitor") == Set(MonitorItem.State.known.map(\.word)))
    }

    @Test("are those that a signal can have")
    mutating func signals() throws {
        harness.complete("early", id: "d1")
        harness.run()
        for (number, signal) in ["open", "yes", "no", "late", "shut"].enumerated() {
            let deadline: Duration? = signal == "late" ? .seconds(1) : nil
            harness.open(Name(unchecked: signal), action: signal, waiter: UInt64(number), deadline: deadline)
        }
        harness.complete("yes", id: "d2")
        harness.reject("no", id: "d3")
        harness.advance(by: .seconds(2))
        harness.step(.withdrawn("shut", WaiterID(number: 4), why: "no need"))
        var shown: Set<String> = []
        for signal in ["early", "open", "yes", "no", "late", "shut"] {
            let show = ShowRequest(.signal, Name(unchecked: signal))
            let event = Event.received(Received(Request(.show(show), id: try RequestID("s")), from: 1))
            guard case .answer(let answer, _) = harness.effects(of: event).first, case .shown(let item) = answer.content
            else { continue }
            if let state = item["state"]?.string { shown.insert(state) }
        }
        #expect(try words(of: "signal") == shown)
    }
}
