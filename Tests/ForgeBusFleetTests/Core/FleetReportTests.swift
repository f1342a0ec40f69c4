import ForgeBusProtocol
import Testing

@testable import ForgeBusFleet

@Suite("The report of a fleet")
struct FleetReportTests {
    private func report(_ states: (Name, [FleetState])...) -> FleetReport {
        FleetReport(states.map { name, states in states.map { FleetReport.Line(name, nil, $0) } })
    }

    @Test("counts each worker once, by its worst state")
    func counts() {
        let report = report(("a", [.converged, .failed]), ("b", [.converged, .converged]), ("c", [.silent]))
        #expect(report.workers == ["a": .failed, "b": .converged, "c": .silent])
        #expect(report.counts == [.failed: 1, .converged: 1, .silent: 1])
        #expect(report.workers(in: .failed) == .names(["a"]))
    }

    @Test("names exceptions first, the worst before the others")
    func order() {
        let report = report(("a", [.converged]), ("b", [.refused]), ("c", [.notYet, .failed]), ("d", [.silent]))
        #expect(report.lines.map(\.worker) == ["c", "d", "c", "b", "a"])
        #expect(report.exceptions.map(\.state) == [.failed, .silent, .notYet, .refused])
    }

    @Test("has the outcome of the worst, except for what has nothing to tell")
    func outcome() {
        #expect(report(("a", [.converged]), ("b", [.noMonitor])).outcome == .good)
        #expect(report(("a", [.noMonitor])).outcome == .nothing)
        #expect(report(("a", [.converged]), ("b", [.wrongKey])).outcome == .refused)
        #expect(report(("a", [.refused]), ("b", [.waived])).outcome == .open)
        #expect(report(("a", [.overdue]), ("b", [.silent]), ("c", [.refused])).outcome == .bad)
    }

    @Test("orders all states, and bad ones before open ones before good ones")
    func states() {
        let sorted = FleetState.allCases.sorted()
        #expect(sorted.first == .failed)
        #expect(sorted.filter { $0.kind == .good }.count == 4)
        #expect(Set(sorted.prefix(2).map(\.kind)) == [.bad])
        #expect(Set(sorted.suffix(4).map(\.kind)) == [.good])
    }
}
