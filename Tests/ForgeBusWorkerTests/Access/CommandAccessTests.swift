import ForgeBusProtocol
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("Every command")
struct CommandAccessTests {
    /// A command on a name, the right it asks for, and on what; nil for a command that everybody may send.
    private struct Row {
        let command: Request.Command
        let demand: (right: AccessPolicy.Right, target: String)?
    }

    private func rows(on name: Name) -> [Row] {
        let reject = Decision(signal: name, outcome: .rejected(reason: "no"))
        let complete = Decision(signal: name, outcome: .approved(value: []))
        return [
            Row(command: .notify(StateChange(topic: name)), demand: (.notify, name.text)),
            Row(command: .run(RunRequest(pipeline: name)), demand: (.run, name.text)),
            Row(command: .decide(complete), demand: (.complete, name.text)),
            Row(command: .decide(reject), demand: (.complete, name.text)),
            Row(command: .withdraw(WithdrawRequest(signal: name)), demand: (.complete, name.text)),
            Row(command: .list(ListRequest(kind: .early)), demand: (.read, "signal.>")),
            Row(command: .list(ListRequest(kind: .runs)), demand: (.read, "run.>")),
            Row(command: .list(ListRequest(kind: .signals)), demand: (.read, "signal.>")),
            Row(command: .list(ListRequest(kind: .monitors)), demand: (.read, "monitor.>")),
            Row(command: .list(ListRequest(kind: .pipelines)), demand: (.read, "pipeline.>")),
            Row(command: .show(ShowRequest(.signal, name)), demand: (.read, "signal.\(name)")),
            Row(command: .show(ShowRequest(.monitor, name)), demand: (.read, "monitor.\(name)")),
            Row(command: .show(ShowRequest(.pipeline, name)), demand: (.read, "pipeline.\(name)")),
            Row(command: .watch(WatchRequest("run.*.z", credit: 1)), demand: (.read, "run.*.z")),
            Row(command: .mode(ModeRequest("a.*", screen: "s", for: .seconds(1))), demand: (.mode, "a.*")),
            Row(
                command: .pause(PauseRequest(PauseSubject(.pipeline, name), .pause(for: nil, reason: ""))),
                demand: (.mode, "pipeline.\(name)")
            ),
            Row(
                command: .pause(PauseRequest(PauseSubject(.monitor, name), .resume)),
                demand: (.mode, "monitor.\(name)")
            ),
            Row(command: .admin(AdminRequest(name)), demand: (.admin, name.text)),
            Row(command: .unwatch, demand: nil),
        ] + Request.Command.bare.map { Row(command: $0, demand: nil) }
    }

    private func ruling(_ row: Row, _ right: AccessPolicy.Right, _ grant: AccessPolicy.Grant) throws
        -> AccessPolicy.Ruling
    {
        let member = AccessPolicy.Member("shop", keys: [], grants: AccessPolicy.Grants([right: grant]))
        return try AccessPolicy([member]).ruling(on: row.command, of: AccessPolicy.Principal("shop"))
    }

    @Test("has a row, or is about a run")
    func complete() {
        let words = rows(on: "a").map(\.command.rules.word) + ["ATTACH", "CANCEL", "REDRIVE"]
        #expect(Set(words) == Set(Request.Command.words))
    }

    @Test("asks for one right on what it names, and for no other right and no other target", .scorecard(16))
    func matrix() throws {
        for name in ["a", "a.b", "stock.changed"] as [Name] {
            for row in rows(on: name) {
                for right in AccessPolicy.Right.allCases {
                    Scorecard.count(1)
                    let everything = try ruling(row, right, AccessPolicy.Grant(allow: [">"]))
                    let nothing = try ruling(row, right, AccessPolicy.Grant())
                    guard let demand = row.demand else {
                        #expect(everything == .allowed && nothing == .allowed)
                        continue
                    }
                    #expect((everything == .allowed) == (right == demand.right), "\(row.command) with \(right)")
                    #expect(nothing.missingGrant == "\(demand.right.rawValue) on \(demand.target)")
                    guard right == demand.right else { continue }
                    let target = try NamePattern(demand.target)
                    #expect(try ruling(row, right, AccessPolicy.Grant(allow: [target])) == .allowed)
                    #expect(try ruling(row, right, AccessPolicy.Grant(allow: ["elsewhere.>"])) != .allowed)
                    #expect(try ruling(row, right, AccessPolicy.Grant(allow: [">"], deny: [target])) != .allowed)
                }
            }
        }
    }

    /// A kind of thing that is read is a token which no pattern of the reference mentions: its `z`.
    private func spelled(_ demand: (right: AccessPolicy.Right, target: String)) -> String {
        guard demand.right == .read || demand.target.contains(#/^(pipeline|monitor)\./#) else { return demand.target }
        return demand.target.replacing(#/^[a-z]+/#, with: "z")
    }

    @Test("about one run or many passes, and is ruled on once the runs were looked for")
    func runs() throws {
        let nobody = AccessPolicy.Principal("nobody")
        for command in [
            .attach(AttachRequest(run: "r")), .show(ShowRequest(.run, "r")), .cancel(CancelRequest(run: "r")),
            .redrive(RedriveRequest(run: "r")),
            .steer(SteeringRequest(.redrive, RunFilter(pipeline: "p"), expecting: 1)),
        ] as [Request.Command] {
            #expect(try AccessPolicy([]).ruling(on: command, of: nobody) == .allowed)
        }
    }

    @Test("is ruled on as a reference rules, whatever the policy", .scorecard(16))
    func reference() throws {
        var generator = SeededGenerator(seed: 17)
        var (comparisons, allowed) = (0, 0)
        for _ in 0..<300 {
            let reference = AccessReference.random(&generator)
            let policy = try reference.policy()
            for principal in ["p", "q", "r", "nobody"] {
                for row in rows(on: try Name(AccessReference.name(&generator, atMost: 3))) {
                    let isAllowed = policy.ruling(on: row.command, of: AccessPolicy.Principal(principal)) == .allowed
                    let expected = row.demand.map { reference.allows(principal, $0.right, on: spelled($0)) } ?? true
                    #expect(isAllowed == expected, "\(principal) \(row.command)")
                    comparisons += 1
                    if isAllowed, row.demand != nil { allowed += 1 }
                }
            }
        }
        Scorecard.count(comparisons)
        #expect(comparisons == 300 * 4 * rows(on: "a").count)
        #expect(allowed > 500)
    }
}
