import Foundation
import Testing

@testable import ForgeBusWorker

@Suite("A core among clients that resend, a network that loses, and actions that do as they like")
struct WholeCoreTests {
    @Test("answers once, never changes a decision, covers every notification and lets nothing out early")
    func schedules() async throws {
        let schedules = Schedules.asked
        let summary = await schedules.run()
        if let seed = summary.failing {
            Issue.record("\(Schedules.replay(seed))")
            return
        }
        guard schedules.seeds.count > 1 else { return print(Schedules.replay(schedules.seeds[0])) }
        print("schedules \(schedules.seeds.count), events \(summary.events.reduce(0, +)), median \(summary.median)")
        print(summary.seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "; "))
        print(summary.coverage?.table ?? "")
        #expect(summary.median >= 50)
    }
}
