public import ForgeBusFleet
import ForgeBusProtocol
import ForgeLocks
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
public import ServiceLifecycle

/// Serves the HTTP API of a worker.
///
/// The gateway is an ordinary sender of requests. It checks tokens, their scope and where a request comes from; the worker
/// checks the rights and decides. The gateway stores nothing. <doc:HTTPAPI> describes the paths.
///
/// ```swift
/// import ForgeBusClient
/// import ForgeBusGateway
/// import Logging
/// import ServiceLifecycle
///
/// func serve(_ client: BusClient) async throws {
///     let gateway = Gateway(ClientBus(client), logger: Logger(label: "gateway"))
///     try await ServiceGroup(
///         services: [gateway], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "gateway")
///     ).run()
/// }
/// ```
public final class Gateway: Service {
    let bus: any GatewayBus
    let configuration: GatewayConfiguration
    /// Whether there is a single worker; without one, ``bus`` answers each request with an error.
    private let hasWorker: Bool
    private let fleet: FleetAPI?
    private let api: API
    private let console: Console
    private let login: Login
    private let webhooks: WebhookResponder
    private let counters = GatewayCounters()
    private let entrance: Guarded<Entrance>
    private let logger: Logger
    /// The certificate, once the gateway runs; nil without TLS.
    private let certificate = Guarded<ServerCertificate?>(nil)
    private let bound = OneShot<Int?>()
    private let connections: Connections
    /// Whether the gateway stops: it finishes the requests that it has, and accepts no others.
    private let isStopping = Guarded(false)

    /// Makes a gateway; ``run()`` opens its port.
    ///
    /// - Parameters:
    ///   - bus: Sends the requests to the worker; nil for a gateway that serves only a fleet.
    ///   - client: Asks the workers of a fleet; nil, the default, for a gateway of one worker. The gateway watches the
    ///     fleet while it runs, and whoever made the client closes it.
    ///   - configuration: Where the gateway listens, and whom it serves.
    ///   - logger: The gateway's logger. It never gets a token or a query.
    public init(
        _ bus: (any GatewayBus)?,
        fleet client: FleetClient? = nil,
        configuration: GatewayConfiguration = GatewayConfiguration(),
        logger: Logger
    ) {
        let (bus, hasWorker) = (bus ?? NoWorker(), bus != nil)
        (self.bus, self.hasWorker) = (bus, hasWorker)
        self.configuration = configuration
        self.logger = logger
        let fleet = client.map { client in
            FleetAPI(LiveFleet(client, readingFor: configuration.fleetReader), keepAlive: configuration.keepAlive)
        }
        self.fleet = fleet
        api = API(bus: bus, fleet: fleet, keepAlive: configuration.keepAlive)
        entrance = Guarded(Entrance(configuration))
        login = Login(isSecure: configuration.certificate != nil)
        webhooks = WebhookResponder(webhooks: configuration.webhooks, bus: bus, logger: logger)
        console = Console(bus: bus, fleet: fleet, hasWorker: hasWorker, hasLogin: configuration.tokens != nil)
        connections = Connections(configuration.limits, logger: logger)
    }

    /// The port at which the gateway listens; waits until the gateway listens.
    ///
    /// Nil if the gateway could not listen, or if the task is cancelled while it waits.
    public var port: Int? { get async { (try? await bound.value()) ?? nil } }

    /// Replaces the tokens.
    ///
    /// Requests that the gateway has already let in continue, but a stream or a wait for a result ends at once if its
    /// token is no longer valid.
    public func replaceTokens(_ tokens: [AccessToken]) {
        entrance.withLock { $0.tokens = TokenBook(tokens) }
        connections.accessChanged()
    }

    /// Reads the files of the certificate again, such as after a renewal; without TLS, it does nothing.
    ///
    /// - Throws: ``GatewayError`` if a file cannot be used; the gateway then keeps its certificate.
    public func rereadCertificate() throws(GatewayError) {
        if let certificate = certificate.withLock({ $0 }) { try certificate.reread() }
    }

    /// The path of a link that logs a browser in as the bearer of a token; the link can be used once.
    public func loginPath(for token: String) -> String { login.link(for: token) }

    /// Serves until a graceful shutdown or a cancellation.
    ///
    /// At a graceful shutdown, `/readyz` fails at once, no new connection is accepted, streams and waits end, and the
    /// other requests get their answers, for at most ``GatewayConfiguration/drainTime``. A cancellation, such as when another
    /// service of the group fails, does the same, but for at most one second.
    ///
    /// - Throws: ``GatewayError`` if the gateway cannot listen, or cannot use its certificate.
    public func run() async throws {
        defer { bound.set(nil) }
        let application = application(try server())
        let group = ServiceGroup(services: [application], logger: application.logger)
        // No child task, which a cancellation would reach: see Connections.
        let serving = Task { try await group.run() }
        // It ends after the last answer, which may need it.
        let watching = fleet.map { asker in Task { await asker.fleet.run() } }
        defer {
            fleet?.rollouts.stop()
            watching?.cancel()
        }
        do {
            try await withTaskCancellationHandler {
                try await withGracefulShutdownHandler {
                    try await serving.value
                } onGracefulShutdown: { [self] in
                    end(group, within: configuration.drainTime)
                }
            } onCancel: { [self] in
                end(group, within: .seconds(1))
            }
        } catch let error as IOError {
            throw Errors.cannotListen(at: configuration, number: error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw Errors.cannotLookUp(configuration)
        }
    }

    /// Accepts no more connections, finishes the requests that the gateway has, and closes the connections that are open
    /// after `time`: somebody who does not read an answer must not keep the gateway from ending.
    private func end(_ group: ServiceGroup, within time: Duration) {
        isStopping.withLock { $0 = true }
        connections.end()
        Task {
            await group.triggerGracefulShutdown()
            try? await Task.sleep(for: time)
            connections.closeAll()
        }
    }

    private func server() throws -> HTTPServerBuilder {
        let certificate = try configuration.certificate.map { files throws(GatewayError) in
            try ServerCertificate(files)
        }
        self.certificate.withLock { $0 = certificate }
        return .http1(certificate, idleTime: configuration.idleTime, connections)
    }

    private func application(_ server: HTTPServerBuilder) -> some ApplicationProtocol {
        var quiet = logger
        // Hummingbird logs its own starts, and as an error each stop by cancellation; `run()` throws what matters.
        quiet.logLevel = .critical
        return Application(
            responder: CallbackResponder { [self] (request: Hummingbird.Request, context: ConnectionContext) in
                await respond(to: request, on: context.channel)
            },
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                // The gateway accepts every connection, and closes those that it cannot keep.
                backlog: 4096
            ),
            onServerRunning: { [self] channel in
                // The more connections one turn of the loop accepts, the shorter is their queue in a flood.
                try? await channel.setOption(.maxMessagesPerRead, value: 64).get()
                try? await channel.eventLoop.submit { [connections, isPlain = configuration.certificate == nil] in
                    let doorkeeper = Doorkeeper(connections, isPlain: isPlain)
                    try channel.pipeline.syncOperations.addHandler(doorkeeper, position: .first)
                }.get()
                let port = channel.localAddress?.port ?? configuration.port
                bound.set(port)
                logger.info("the gateway listens", metadata: ["address": "\(configuration.address(port: port))"])
            },
            logger: quiet
        )
    }

    private func respond(to request: Hummingbird.Request, on channel: any Channel) async -> Response {
        let beginning = ContinuousClock.now
        let isReserve = connections.isReserve(channel)
        var answer = await answer(request, on: channel, isReserve: isReserve)
        if isReserve { answer.fields[.connection] = "close" }
        let response = answer.response(isHead: request.method == .head)
        counters.count(status: response.status.code, took: .now - beginning)
        logger.debug(
            "answered",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(Printable.quoted(request.uri.path))",
                "status": "\(response.status.code)",
            ]
        )
        return response
    }

    private func answer(
        _ request: Hummingbird.Request,
        on channel: any Channel,
        isReserve: Bool
    ) async -> APIResponse {
        let target = RequestTarget.read(request.head.path ?? "")
        // Probes reach the gateway by its address, and have no token.
        if request.method == .get || request.method == .head, let path = target?.path,
            let answer = await health(path)
        {
            return answer
        }
        do throws(BusError) {
            guard !isReserve else { throw Errors.noPlace }
            let entrance = entrance.withLock { $0 }
            try entrance.check(request.head)
            guard let target else { throw Errors.unreadableTarget(request.head.path ?? "") }
            if let file = Assets.answer(target.path, request.method) { return file }
            var asked = APIRequest(
                method: request.method,
                path: target.path,
                query: target.query,
                fields: request.headers,
                body: [],
                sender: Sender()
            )
            let client = try client(of: request.head, on: channel, entrance.proxy)
            let delivered = try await webhooks.respond(to: asked, at: Date()) { () async throws(BusError) in
                try await RequestBytes.read(request, within: configuration.bodyTime)
            }
            if let delivered { return delivered }
            // Only the login and webhooks read a body before it is known who sends it.
            if entrance.tokens != nil, ["login", "logout"].contains(target.path.first) {
                asked.body = try await RequestBytes.read(request, atMost: 4096, within: configuration.bodyTime)
                let address = client ?? channel.remoteAddress.flatMap { ClientAddress($0) }
                asked.address = address?.description ?? ""
                if let answer = login.respond(to: asked, self.entrance) {
                    if target.path.first == "logout" { connections.accessChanged() }
                    return answer
                }
            }
            do throws(BusError) {
                asked.sender = try entrance.sender(of: request.head, at: Date())
            } catch {
                // A browser is led to the login; a program gets the problem.
                guard target.path.first != "v1", request.headers[.accept]?.contains("text/html") == true else {
                    throw error
                }
                let next = (request.head.path ?? "/").percentEncoded
                return APIResponse(.seeOther, fields: [.location: "/login?next=\(next)"])
            }
            asked.stay = Stay(
                isStillLetIn: { [self, head = request.head, sender = asked.sender] in
                    (try? self.entrance.withLock { $0 }.sender(of: head, at: Date())) == sender
                },
                changes: { [connections] in connections.stay(on: channel) }
            )
            asked.body = try await RequestBytes.read(request, within: configuration.bodyTime)
            if asked.path == ["metrics"] {
                let fleet = try await fleet?.fleet.summary(for: asked.sender)
                return try await counters.page(hasWorker ? bus : nil, fleet, asked, connections.counts)
            }
            if target.path.first != "v1", let page = await console.respond(to: asked) { return page }
            return await api.respond(to: asked)
        } catch {
            return APIResponse(Problem(error))
        }
    }

    /// The client for which the trusted proxy sends a request; nil for a request of others, and if the proxy does not say.
    ///
    /// - Throws: `BusError` with code `busy` if the client has too many requests at the same time.
    private func client(
        of head: HTTPRequest,
        on channel: any Channel,
        _ proxy: TrustedProxy?
    ) throws(BusError) -> ClientAddress? {
        guard let proxy, proxy.hasSent(head) else { return nil }
        let client = proxy.client(of: head)
        guard connections.carries(channel, for: client) else { throw Errors.tooManyConnections }
        return client
    }

    private func health(_ path: [String]) async -> APIResponse? {
        switch path {
        case ["livez"]: return APIResponse(.ok, ["status": "ok"])
        case ["readyz"]:
            return await Readiness(bus: hasWorker ? bus : nil, isStopping: isStopping.withLock { $0 }).response
        default: return nil
        }
    }
}
