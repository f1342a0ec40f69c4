import ForgeBusWorker
import Foundation
import Logging
import ServiceLifecycle

/// Notifies the service manager again and again that the worker's loop still runs (`WATCHDOG=1` of sd_notify(3)).
///
/// If the loop hangs, the service manager gets no notice in time, and starts the worker again.
struct Watchdog: Service {
    let socket: NotifySocket
    /// The time between two notices: half of the time that the service manager allows.
    let period: Duration
    /// Returns once the worker's loop has answered; throws if the worker has ended.
    let probe: @Sendable () async throws -> Void
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    /// The time between two notices.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process, with `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - process: The number of the process.
    /// - Returns: Half of the time that the service manager allows; nil if it expects no notices from this process.
    static func period(environment: [String: String], process: Int32) -> Duration? {
        guard let time = environment["WATCHDOG_USEC"].flatMap(Int64.init), time > 1 else { return nil }
        // A child process inherits the variables, but the service manager expects no notices from it.
        if let watched = environment["WATCHDOG_PID"], watched != "\(process)" { return nil }
        return .microseconds(time / 2)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await probe()) != nil {
                do { try socket.send("WATCHDOG=1") } catch {
                    logger.warning(
                        "the service manager (systemd) could not be notified that the worker runs, and may restart it",
                        metadata: ["error": "\(error)"]
                    )
                }
                guard (try? await clock.sleep(for: period)) != nil else { return }
            }
        }
        // A service that ends would end the worker.
        try? await gracefulShutdown()
    }
}
