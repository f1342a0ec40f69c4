import ForgeBusProtocol
import ForgeBusWorker
import Foundation
import Logging
import ServiceLifecycle

/// Tells the service manager when the worker takes requests, and when it begins to stop (sd_notify(3)).
///
/// A manager that cannot be told is a warning and no more: the worker serves all the same.
///
/// In a `ServiceGroup` it stands behind the worker, so that a graceful shutdown reaches it first.
struct ServiceNotice: Service {
    let socket: NotifySocket
    let worker: BusWorker
    /// What is to be finished before the worker takes requests.
    let hasStartup: Bool
    /// How long the worker may take to finish what began.
    let drainTime: Duration
    let logger: Logger

    func run() async throws {
        if hasStartup { tell(.starting) }
        await cancelWhenGracefulShutdown {
            guard (try? await worker.readiness.waitUnlessCancelled()) != nil else { return }
            guard let endpoints = try? await worker.endpoints else { return }
            tell(.ready(endpoints: endpoints.map(\.text)))
        }
        guard (try? await gracefulShutdown()) != nil else { return }
        tell(.stopping(drainTime: drainTime))
    }

    private func tell(_ notice: Notice) {
        do {
            try socket.send(notice.text)
        } catch {
            logger.warning("the service manager was not told", metadata: ["error": "\(error)"])
        }
    }
}

extension ServiceNotice {
    /// What there is to tell.
    enum Notice {
        /// Start-up actions are under way.
        case starting
        /// Requests are taken.
        case ready(endpoints: [String])
        /// The drain begins.
        case stopping(drainTime: Duration)

        /// The lines of the datagram.
        var text: String {
            switch self {
            case .starting: "STATUS=Takes decisions; takes requests once the start-up actions are through."
            case .ready(let endpoints):
                "READY=1\nSTATUS=Serves at \(Printable.escaped(endpoints.joined(separator: " ")))."
            case .stopping(let drainTime):
                // A drain may be longer than the manager knows of; within the margin commands are ended, answers leave.
                """
                STOPPING=1
                STATUS=Finishes what began, for at most \(drainTime.readable).
                EXTEND_TIMEOUT_USEC=\((drainTime + .seconds(30)).microseconds)
                """
            }
        }
    }
}
