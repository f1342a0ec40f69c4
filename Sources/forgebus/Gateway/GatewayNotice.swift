#if HTTP
import ForgeBusGateway
import Logging
import ServiceLifecycle

/// Tells the service manager when a gateway listens, and when it begins to stop (sd_notify(3)).
struct GatewayNotice: Service {
    let socket: NotifySocket
    let gateway: Gateway
    let logger: Logger

    func run() async throws {
        if let port = await gateway.port { tell("READY=1\nSTATUS=Serves HTTP at the port \(port).") }
        guard (try? await gracefulShutdown()) != nil else { return }
        tell("STOPPING=1")
    }

    private func tell(_ text: String) {
        do {
            try socket.send(text)
        } catch {
            logger.warning(
                Errors.managerNotNotified(of: "gateway"),
                metadata: ["error": "\(error)"]
            )
        }
    }
}
#endif
