import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("A request that is outstanding")
struct OutstandingTests {
    private let start = ContinuousClock.now
    private let accepted = Answer.Content.accepted(.run("run-1", durability: .memory, retention: .seconds(60)))

    private func outstanding(_ command: Request.Command, patience: Duration = .seconds(1_000)) -> Outstanding {
        Outstanding(Request(command), patience: patience, at: start)
    }

    /// At which seconds it is sent again within this time.
    private func resends(_ outstanding: Outstanding, within seconds: Int) -> [Int] {
        var outstanding = outstanding
        return (1...seconds).filter { outstanding.check(at: start.advanced(by: .seconds($0))) == .resend }
    }

    @Test("is sent again after two seconds, then after twice the time, at most thirty seconds")
    func resending() {
        let request = outstanding(.run(RunRequest(pipeline: "p")))
        #expect(resends(request, within: 130) == [2, 6, 14, 30, 60, 90, 120])
    }

    @Test("and was taken is sent again at the longest interval only: to attach a connection made anew")
    func resendingTaken() {
        var request = outstanding(.run(RunRequest(pipeline: "p")))
        #expect(request.received(accepted) == false)
        #expect(resends(request, within: 100) == [30, 60, 90])
    }

    @Test("is not sent again when it is a notification that was taken")
    func notification() {
        var request = outstanding(.notify(StateChange(topic: "t", wantsEvaluation: true)))
        #expect(resends(request, within: 10) == [2, 6])
        #expect(request.received(.accepted(.notification(durability: .memory, monitors: 1))) == false)
        #expect(resends(request, within: 100).isEmpty)
    }

    @Test("is given up when its patience ends without an answer, and not once it was taken")
    func patience() {
        var request = outstanding(.run(RunRequest(pipeline: "p")), patience: .seconds(1))
        #expect(request.check(at: start.advanced(by: .milliseconds(999))) == .wait)
        #expect(request.check(at: start.advanced(by: .seconds(1))) == .giveUp)
        _ = request.received(accepted)
        #expect(request.check(at: start.advanced(by: .seconds(1))) == .wait)
    }

    @Test("ends with its last answer, which its command and its wishes decide")
    func ending() {
        var run = outstanding(.run(RunRequest(pipeline: "p")))
        let result = Answer.Content.result(RunResult(run: "run-1", state: .completed, actions: []))
        let progress = RunProgress(run: "run-1", sequence: 1, change: .started(action: "a"))
        #expect([accepted, .progress(progress), result].map { run.received($0) } == [false, false, true])
        var detached = outstanding(.run(RunRequest(pipeline: "p", isDetached: true)))
        #expect(detached.received(accepted) == true)
        var plain = outstanding(.notify(StateChange(topic: "t")))
        let taken = Answer.Content.accepted(.notification(durability: .memory, monitors: 0))
        #expect(plain.received(taken) == true)
        var refused = outstanding(.run(RunRequest(pipeline: "p")))
        #expect(refused.received(.error(BusError(.busy, "Full.", next: "Wait."))) == true)
    }
}
