import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeLocks
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing
import ZeroMQ

// The limit only guards against a hang.
@Suite("Notifications during a cycle", .timeLimit(.minutes(30)))
struct MonitorSocketTests {
    @Test("of which there are many thousands cause exactly one more, which starts after the last of them")
    func thousands() async throws {
        let count = Scorecard.trials(5_000, full: 100_000)
        let hold = CompletionSignal()
        let starts = Record<Int>()
        let covered = Record<Int>()
        let dealer = Guarded<RawDealer?>(nil)
        let watch = monitor(
            Check("check") {
                // How many notifications had been accepted when the cycle began, and how many it says it covers.
                starts.add(dealer.withLock { $0 }?.received.count ?? 0)
                covered.add(MonitorCauses.current.count)
                if starts.count == 2 { await hold.wait() }
                return .completed
            }
        )
        // However long they take on a busy machine: a cycle over its time limit would count its notifications again.
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .zero, timeLimit: .seconds(86_400))
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            let sender = try await RawDealer(serving.endpoint)
            dealer.withLock { $0 = sender }
            await starts.reach(1)
            try await sender.send("FORGE/1 NOTIFY", "first", "t", "", "")
            await starts.reach(2)
            for number in 1..<count {
                try await sender.send("FORGE/1 NOTIFY", "n\(number)", "t", "", "")
                // Not more ahead of the answers than the worker lets one connection have outstanding.
                if number % 2_000 == 0 { await sender.received.reach(number - 2_000) }
            }
            try await sender.send("FORGE/1 NOTIFY", "last", "t", #"{"reply":"evaluated"}"#, "")
            await sender.received.reach(count + 1)
            hold.complete()
            guard case .evaluated(let evaluation) = try await sender.answers(count + 2)[count + 1].content else {
                throw Missing("EVALUATED")
            }
            #expect(evaluation.monitors.map(\.cycle) == [3])
            #expect(starts.values.last == count + 1)
            #expect(covered.values == [0, 1, count])
            let item = try await client.list(.monitors).items[0]
            #expect(item["state"] == "idle", "and nothing more is owed")
            #expect(item["cycles"] == 3)
            await sender.close()
        }
    }

    @Test("that a cycle of its own sends do not make a monitor spin, and none is lost")
    func selfNotification() async throws {
        let client = Record<BusClient>()
        let starts = Record<Int>()
        let watch = monitor(
            Check("check") {
                starts.add(1)
                if let client = client.values.first, starts.count < 4 { _ = try? await client.notify("t") }
                return .completed
            }
        )
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .milliseconds(5))
        try await serving(monitors: [hosted]) { serving in
            let asking = try await serving.client()
            client.add(asking)
            _ = try await asking.notify("t")
            await starts.reach(4)
        }
    }

    @Test("to which an excluded screen is showing are answered so at once, and are covered by one cycle when it leaves")
    func excluded() async throws {
        let covered = Record<Int>()
        let watch = monitor(
            Check("check") {
                covered.add(MonitorCauses.current.count)
                return .completed
            }
        )
        watch.setExcludedScreens(["checkout"])
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .zero)
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            _ = try await client.notifyAndWait("t")
            let before = covered.count
            watch.updateCurrentScreen("checkout")
            while try await client.list(.monitors).items[0]["state"] != "excluded" {}
            for _ in 1...20 {
                let evaluation = try await client.notifyAndWait("t")
                #expect(evaluation.monitors.map(\.state) == [.excluded])
            }
            #expect(covered.count == before)
            watch.updateCurrentScreen(nil)
            await covered.reach(before + 1)
            #expect(try await client.notifyAndWait("t").monitors.map(\.state) == [.ran])
            #expect(covered.values.suffix(2) == [20, 1])
        }
    }

    @Test("with a deadline are answered at it, with the monitor pending")
    func deadline() async throws {
        let hold = CompletionSignal()
        let watch = monitor(
            Check("check") {
                await hold.wait()
                return .completed
            }
        )
        let hosted = HostedMonitor("m", watch, topics: ["t"])
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            let evaluation = try await client.notifyAndWait("t", deadline: .milliseconds(10))
            #expect(evaluation.monitors.isEmpty)
            #expect(evaluation.pending == ["m"])
            hold.complete()
        }
    }
}
