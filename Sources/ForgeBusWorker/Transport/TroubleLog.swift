import ForgeBusProtocol
import Logging

/// Logs failures: a few lines in each period, and then the number of failures that were left out.
///
/// So a worker that fails thousands of runs a second does not fill a disk with its log.
struct TroubleLog {
    /// The most lines in one period.
    static let linesPerPeriod = 20
    static let period = Duration.seconds(10)

    private let logger: Logger
    private var begin: ContinuousClock.Instant?
    private var told = 0
    private var leftOut = 0

    init(_ logger: Logger) { self.logger = logger }

    /// Logs a failure, or counts it if the period has enough lines.
    ///
    /// - Returns: When to call ``flush()``, if this is the first failure that the period leaves out; otherwise nil.
    mutating func tell(_ trouble: Trouble, at now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant? {
        let begin = begin.flatMap { now - $0 < Self.period ? $0 : nil }
        if begin == nil {
            flush()
            (self.begin, told) = (now, 0)
        }
        guard told < Self.linesPerPeriod else {
            leftOut += 1
            return leftOut == 1 ? begin?.advanced(by: Self.period) : nil
        }
        told += 1
        logger.log(level: trouble.level, trouble.message, metadata: trouble.metadata)
        return nil
    }

    /// Logs the number of failures that were left out.
    mutating func flush() {
        if leftOut > 0 {
            logger.warning(
                """
                further lines about runs, monitors and pauses were left out; `forgebus list runs` (or `monitors`, or \
                `pipelines`) shows the current states
                """,
                metadata: ["times": "\(leftOut)"]
            )
        }
        leftOut = 0
    }
}

extension Trouble {
    fileprivate var message: Logger.Message {
        switch self {
        case .run(_, _, .parked, _): "a run is parked until somebody redrives it (`forgebus redrive`) or cancels it"
        case .run(_, _, .timedOut, _): "a run was ended because it took too long"
        case .run(_, _, .lost, _): "a run is lost"
        case .run: "a run failed"
        case .cycle: "a cycle failed; the worker repeats it later"
        case .overdue: "a cycle did not end within its time limit, and was cancelled; the worker repeats it later"
        case .recovered: "a cycle of the monitor has succeeded, after failures"
        case .eventsFail:
            """
            a run that should have reported an event of the worker (see `on` in the worker file) has failed, is parked \
            or could not begin, so perhaps nobody knows of the event; `forgebus status` lists such failures
            """
        case .eventsRecovered: "a run for an event of the worker has completed, after failures of such runs"
        case .pauseEnded: "a pause has ended because its time is over"
        }
    }

    fileprivate var level: Logger.Level {
        switch self {
        case .recovered, .eventsRecovered, .pauseEnded: .notice
        case .run, .cycle, .overdue, .eventsFail: .warning
        }
    }

    fileprivate var metadata: Logger.Metadata {
        switch self {
        case .run(let run, let pipeline, _, let reason):
            ["run": "\(run)", "pipeline": "\(pipeline)", "reason": "\(Printable.quoted(reason, atMost: 512))"]
        case .cycle(let monitor, let failed):
            // An array is logged with its elements quoted.
            ["monitor": "\(monitor)", "failed": .array(failed.prefix(8).map { "\(Printable.cut($0, to: 256))" })]
        case .overdue(let monitor): ["monitor": "\(monitor)"]
        case .recovered(let monitor, let failures): ["monitor": "\(monitor)", "failures": "\(failures)"]
        case .eventsFail(let pipeline, let run, let reason):
            ["pipeline": "\(pipeline)", "run": "\(run)", "reason": "\(Printable.quoted(reason, atMost: 512))"]
        case .eventsRecovered(let pipeline, let failures): ["pipeline": "\(pipeline)", "failures": "\(failures)"]
        case .pauseEnded(let pause):
            ["\(pause.subject.kind.rawValue)": "\(pause.subject.name)", "paused_by": "\(pause.principal)"]
        }
    }
}
