import ForgeBusClient
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Testing

@Suite("Notifications during a cycle")
struct MonitorSocketTests {
    @Test("of which there are a thousand cause exactly one more, which starts after the last of them")
    func thousand() async throws {
        let hold = CompletionSignal()
        let starts = Record<Int>()
        let accepted = Record<Int>()
        let watch = monitor(
            Check("check") {
                // How many notifications had been accepted when the cycle began.
                starts.add(accepted.count)
                if starts.count == 2 { await hold.wait() }
                return .completed
            }
        )
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .zero)
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            await starts.reach(1)
            _ = try await client.notify("t")
            await starts.reach(2)
            for number in 1..<1_000 {
                _ = try await client.notify("t")
                accepted.add(number)
            }
            let dealer = try await RawDealer(serving.endpoint)
            try await dealer.send("FORGE/1 NOTIFY", "last", "t", #"{"reply":"evaluated"}"#, "")
            _ = try await dealer.answers(1)
            accepted.add(1_000)
            hold.complete()
            guard case .evaluated(let evaluation) = try await dealer.answers(2)[1].content else {
                throw Missing("EVALUATED")
            }
            #expect(evaluation.monitors.map(\.cycle) == [3])
            #expect(starts.values == [0, 0, 1_000])
            let item = try await client.list(.monitors).items[0]
            #expect(item["state"] == "idle", "and nothing more is owed")
            #expect(item["cycles"] == 3)
            await dealer.close()
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

    @Test("that shows an excluded screen are answered as excluded, and their cycle runs when that leaves")
    func excluded() async throws {
        let starts = Record<Int>()
        let watch = monitor(
            Check("check") {
                starts.add(1)
                return .completed
            }
        )
        watch.setExcludedScreens(["checkout"])
        let hosted = HostedMonitor("m", watch, topics: ["t"], minimumGap: .zero)
        try await serving(monitors: [hosted]) { serving in
            let client = try await serving.client()
            _ = try await client.notifyAndWait("t")
            watch.updateCurrentScreen("checkout")
            let before = starts.count
            let evaluation = try await client.notifyAndWait("t")
            #expect(evaluation.monitors.map(\.state) == [.excluded])
            #expect(starts.count == before)
            watch.updateCurrentScreen(nil)
            await starts.reach(before + 1)
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
