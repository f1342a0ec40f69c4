import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("A request that is outstanding")
struct OutstandingTests {
    private let start = ContinuousClock.now
    private let run = Request.Command.run(RunRequest(pipeline: "p"))

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// A request that was sent at the start on a connection that is up.
    private func sent(_ command: Request.Command, patience: Int = 1_000, isRetried: Bool = true) -> Outstanding {
        var request = Outstanding(command, patience: .seconds(patience), isRetried: isRetried, at: start)
        var generator = FixedGenerator.most
        let isSent = request.connected(at: start)
        #expect(isSent)
        request.sent(at: start, using: &generator)
        return request
    }

    /// At which seconds it is sent again within this time.
    private func resends(_ outstanding: Outstanding, within seconds: Int, heardUntil end: Int = 0) -> [Int] {
        var (request, generator) = (outstanding, FixedGenerator.most)
        return (1...seconds).filter { second in
            if second <= end {
                _ = request.received(.init(to: nil, .change(second)), at: at(second), using: &generator)
            }
            guard request.check(at: at(second), silence: .zero) == .resend else { return false }
            request.sent(at: at(second), using: &generator)
            return true
        }
    }

    private func arrivals(_ request: inout Outstanding, _ contents: [Answer.Content], isReplayed: Bool = false)
        -> [Outstanding.Arrival]
    {
        var generator = FixedGenerator.most
        return contents.map {
            request.received(Answer(to: .random(), $0, isReplayed: isReplayed), at: start, using: &generator)
        }
    }

    @Test("is sent again while nothing is heard of it")
    func resending() {
        #expect(resends(sent(run), within: 100) == [1, 3, 7, 13, 19, 25])
    }

    @Test("and was taken is sent again until its result comes, except a notification")
    func resendingTaken() {
        var taken = sent(run)
        #expect(arrivals(&taken, [.begun(kept: .seconds(600))]) == [.news])
        #expect(resends(taken, within: 20) == [1, 3, 7, 15])
        var notification = sent(.notify(StateChange(topic: "t", wantsEvaluation: true)))
        #expect(arrivals(&notification, [.taken]) == [.news])
        #expect(resends(notification, within: 100).isEmpty)
        notification.disconnected(lastWord: start)
        #expect(notification.connected(at: at(100)) == true)
    }

    @Test("is not sent again while something is heard of it")
    func heard() {
        #expect(resends(sent(run), within: 60, heardUntil: 30) == [31, 33, 37, 43, 49, 55])
    }

    @Test(
        "that is to be answered after a time by then at the latest is not sent again before: its time would begin anew"
    )
    func quiet() {
        #expect(resends(sent(.attach(AttachRequest(run: "run-1"))), within: 20) == [1, 3, 7, 13, 19])
        #expect(resends(sent(.attach(AttachRequest(run: "run-1", patience: .seconds(60)))), within: 130) == [61, 123])
    }

    @Test("is given up when its patience ends before it is taken, and not once it was")
    func patience() {
        var request = sent(run, patience: 10)
        #expect(request.check(at: at(9), silence: .seconds(9)) == .resend)
        #expect(request.nextCheck(at: at(9), silence: .seconds(9)) == at(10))
        #expect(request.check(at: at(10), silence: .seconds(10)) == .giveUp(nil))
        _ = arrivals(&request, [.begun()])
        #expect(request.check(at: at(11), silence: .seconds(1)) != .giveUp(nil))
        #expect(request.check(at: at(20), silence: .seconds(10)) == .giveUp(nil))
    }

    @Test("that only asks for word of a run is given up when the worker falls silent, and not before")
    func attached() {
        var request = sent(.attach(AttachRequest(run: "run-1")), patience: 10)
        #expect(request.check(at: at(1_000), silence: .seconds(9)) != .giveUp(nil))
        #expect(request.check(at: at(1_000), silence: .seconds(10)) == .giveUp(nil))
        var young = sent(.attach(AttachRequest(run: "run-1")), patience: 10)
        #expect(young.check(at: at(0), silence: .seconds(10)) == .wait)
    }

    @Test("whose connection is lost for half of the time it is kept is given up")
    func hopeless() {
        var request = sent(run, patience: 1_000)
        _ = arrivals(&request, [.begun(kept: .seconds(60))])
        request.disconnected(lastWord: start)
        #expect(request.check(at: at(29), silence: .seconds(29)) == .wait)
        #expect(request.check(at: at(30), silence: .seconds(30)) == .giveUp(nil))
        var untaken = sent(run, patience: 1_000)
        untaken.disconnected(lastWord: at(20))
        #expect(untaken.nextCheck(at: at(20), silence: .zero) == at(30))
        #expect(untaken.check(at: at(30), silence: .zero) == .giveUp(nil))
    }

    @Test("and was taken is sent again on a new connection, if its worker was heard until the old one was lost")
    func heardOtherwise() {
        var request = Outstanding(run, patience: .seconds(1_000), firstPause: nil, at: start)
        var generator = FixedGenerator.most
        _ = request.connected(at: start)
        request.sent(at: start, using: &generator)
        _ = arrivals(&request, [.begun(kept: .seconds(60))])
        request.disconnected(lastWord: at(40))
        #expect(request.check(at: at(41), silence: .seconds(1)) == .wait)
        #expect(request.connected(at: at(41)) == true)
        request.disconnected(lastWord: at(40))
        #expect(request.check(at: at(70), silence: .seconds(30)) == .giveUp(nil))
    }

    @Test("ends with its last answer, which its command and its wishes decide")
    func ending() {
        var full = sent(run)
        #expect(arrivals(&full, [.begun(), .change(1), .completed()]) == [.news, .news, .end])
        var detached = sent(.run(RunRequest(pipeline: "p", isDetached: true)))
        #expect(arrivals(&detached, [.begun()]) == [.end])
        var plain = sent(.notify(StateChange(topic: "t")))
        #expect(arrivals(&plain, [.taken]) == [.end])
        var attached = sent(.attach(AttachRequest(run: "run-1")))
        #expect(arrivals(&attached, [.change(4), .ok(StateReport(.waiting, run: "run-1"))]) == [.news, .end])
    }

    @Test("hears each change once, and counts anew when another run was begun")
    func changes() {
        var request = sent(run)
        #expect(
            arrivals(&request, [.begun(), .change(1), .change(1), .change(3), .change(2), .change(4)])
                == [.news, .news, .repetition, .news, .repetition, .news]
        )
        #expect(arrivals(&request, [.begun()], isReplayed: true) == [.repetition])
        #expect(arrivals(&request, [.begun("run-2"), .change(1, "run-2")]) == [.news, .news])
    }

    @Test("that is refused for now is sent again within its patience, and then ends with the refusal")
    func refused() {
        var request = sent(run, patience: 10)
        #expect(arrivals(&request, [.refused(.busy, after: .seconds(4))]) == [.refusal])
        #expect(request.check(at: at(3), silence: .zero) == .wait)
        #expect(request.check(at: at(5), silence: .zero) == .resend)
        var impatient = sent(run, patience: 10)
        #expect(arrivals(&impatient, [.refused(.busy, after: .seconds(10))]) == [.end])
        var never = sent(run, isRetried: false)
        #expect(arrivals(&never, [.refused(.busy)]) == [.end])
    }

    @Test("whose patience ends between a refusal and the next try ends with the refusal: nothing was done")
    func refusalAtTheEnd() {
        var request = sent(run, patience: 10)
        _ = arrivals(&request, [.refused(.draining, after: .seconds(5))])
        request.disconnected(lastWord: start)
        guard case .giveUp(let refusal?) = request.check(at: at(10), silence: .zero) else {
            Issue.record("It is not given up with a refusal.")
            return
        }
        #expect(refusal.code == .draining)
    }

    @Test("does not end with a refusal while an earlier copy of it may be taken, be it on a lost connection")
    func refusalOvertakes() {
        var generator = FixedGenerator.most
        for (isLost, isRetried) in [(false, true), (true, true), (false, false)] {
            var request = sent(run, patience: 10, isRetried: isRetried)
            if isLost {
                request.disconnected(lastWord: start)
                #expect(request.connected(at: at(1)) == true)
            }
            request.sent(at: at(1), using: &generator)
            #expect(arrivals(&request, [.refused(.busy, after: .seconds(60))]) == [.refusal])
            #expect(request.mayBeTaken)
            #expect(request.check(at: at(9), silence: .zero) == .wait)
            #expect(request.check(at: at(10), silence: .zero) == .giveUp(nil))
            #expect(arrivals(&request, [.begun(), .completed()]) == [.news, .end])
        }
        var both = sent(run, patience: 10)
        both.sent(at: at(1), using: &generator)
        let refusals = [1, 60].map { Answer.Content.refused(.busy, after: .seconds($0)) }
        #expect(arrivals(&both, refusals) == [.refusal, .end])
        #expect(!both.mayBeTaken)
        var again = Outstanding(run, patience: .seconds(10), mayBeTaken: true, at: start)
        again.sent(at: start, using: &generator)
        #expect(arrivals(&again, [.refused(.busy, after: .seconds(60))]) == [.refusal])
    }

    @Test("is not sent again after a refusal once its earlier copy may be forgotten")
    func refusalIsNoNewBeginning() {
        var request = sent(run)
        var generator = FixedGenerator.most
        request.sent(at: at(1), using: &generator)
        let answer = Answer(to: .random(), .refused(.busy, after: .seconds(1)))
        #expect(request.received(answer, at: at(29), using: &generator) == .refusal)
        #expect(request.check(at: at(100), silence: .zero) == .wait)
    }

    @Test("whose refusal overtook its acceptance goes on with that, and with each change")
    func refusalForgotten() {
        for proof in [Answer.Content.begun(), .change(1)] {
            var request = sent(run, patience: 10)
            #expect(arrivals(&request, [.begun(), .refused(.busy, after: .seconds(1)), proof]).last != .end)
            #expect(request.isAccepted)
            #expect(request.check(at: at(20), silence: .zero) == .resend)
        }
    }

    @Test("does not take the result of an earlier one under its id for its own")
    func earlierResult() {
        var detached = sent(.run(RunRequest(pipeline: "p", isDetached: true)))
        #expect(arrivals(&detached, [.completed(), .begun()]) == [.repetition, .end])
        var full = sent(run)
        #expect(arrivals(&full, [.completed(), .begun(), .completed()]) == [.repetition, .news, .end])
    }

    @Test("that was taken and is refused then has its patience once more, however often it is refused")
    func refusedAfterwards() {
        var request = sent(run, patience: 10)
        _ = arrivals(&request, [.begun()])
        #expect(arrivals(&request, [.refused(.notReady)]) == [.refusal])
        #expect(!request.isAccepted)
        #expect(request.check(at: at(10), silence: .zero) != .wait)
        var attached = sent(.attach(AttachRequest(run: "run-1")), patience: 10)
        var generator = FixedGenerator.least
        var refusals = 0
        for second in 0..<20 {
            let answer = Answer(to: .random(), .refused(.busy))
            guard attached.received(answer, at: at(second), using: &generator) == .refusal else { break }
            attached.sent(at: at(second), using: &generator)
            refusals += 1
        }
        #expect(refusals == 10)
    }

    @Test(
        "ends with an error that sending again cannot help",
        arguments: [ErrorCode.badSeed, .badID, .forbidden, ErrorCode(rawValue: "new")]
    )
    func errors(_ code: ErrorCode) {
        var request = sent(run)
        #expect(arrivals(&request, [.refused(code)]) == [.end])
    }
}
