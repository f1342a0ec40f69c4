import ForgeBusProtocol
import ForgeBusWorker
import Foundation
import Logging
import ServiceLifecycle

/// Tells the service manager when the worker is ready, and when the worker begins to stop (sd_notify(3)).
///
/// A failed notice is only logged as a warning: the worker serves anyway.
///
/// In a `ServiceGroup`, this service comes after the worker, so that a graceful shutdown reaches this service first.
struct ServiceNotice: Service {
    let socket: NotifySocket
    let worker: BusWorker
    /// Whether startup actions run before the worker accepts runs and notifications.
    let hasStartup: Bool
    /// How long the worker may take to finish running actions.
    let drainTime: Duration
    let logger: Logger

    func run() async throws {
        if hasStartup { tell(.starting) }
        await cancelWhenGracefulShutdown {
            guard (try? await worker.waitUntilReady()) != nil else { return }
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
            logger.warning(
                Errors.managerNotNotified(of: "worker"),
                metadata: ["error": "\(error)"]
            )
        }
    }
}

extension ServiceNotice {
    /// The notices to a service manager.
    enum Notice {
        /// Startup actions are running.
        case starting
        /// The worker accepts all requests.
        case ready(endpoints: [String])
        /// The drain begins.
        case stopping(drainTime: Duration)

        /// The lines of the datagram.
        var text: String {
            switch self {
            case .starting: "STATUS=Accepts only decisions until the startup actions have run."
            case .ready(let endpoints):
                "READY=1\nSTATUS=Serves at \(Printable.escaped(endpoints.joined(separator: " ")))."
            case .stopping(let drainTime):
                // A drain may take longer than the service manager expects. After the drain time, the worker gets 30
                // further seconds, to end commands and to send answers.
                """
                STOPPING=1
                STATUS=Finishes running actions, for at most \(drainTime.readable).
                EXTEND_TIMEOUT_USEC=\((drainTime + .seconds(30)).microseconds)
                """
            }
        }
    }
}
