#if HTTP
import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusFleet
import ForgeBusGateway
import ForgeBusProtocol
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import ZeroMQ

/// The command `forgebus gateway`, with its arguments and options.
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Serves a worker or a fleet over HTTP, for programs that do not speak ZeroMQ.",
        discussion: """
            Example: forgebus gateway --http 127.0.0.1:7780

            The API is described at /v1/openapi.json. After SIGTERM or Ctrl-C, the gateway closes streams, no longer \
            waits for results, answers the other requests that it has, and exits.

            For a worker with keys, give the gateway the worker's public key (--server-key), keys of its own \
            (--certificate) and the access file (--access). In this file, the gateway's principal needs the right \
            `act_as`, and each user needs a token. SIGHUP makes the gateway read the access file and its TLS certificate \
            again.

            With --fleet, the gateway serves all workers of an inventory, too, or only them if no endpoint is named: the \
            page Fleet, and the paths below /v1/fleet. For workers with keys, give it the keys of its own \
            (--certificate), the access file, and a principal for whom it reads the monitors (--fleet-reader).

            For a worker without keys, all users have the same token. The gateway makes a file with this token, and \
            prints the path; --token-file names another file. No token is needed if the gateway listens at a loopback \
            address, the worker listens at a `tcp` address of loopback, and --token-file, --host and \
            --proxy-user-header are not given.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The address and port for HTTP, such as 0.0.0.0:7780; or only the port (0 to 65535), at 127.0.0.1.",
            valueName: "address"
        )
    )
    var http = HTTPAddress(argument: "127.0.0.1:7780")!

    @Option(name: [.short, .long], help: "The endpoint where the worker listens (also FORGEBUS_ENDPOINT).")
    var endpoint: String?

    @Option(
        help: ArgumentHelp(
            "The worker's public key, or a certificate file with that key (also FORGEBUS_SERVER_KEY).",
            valueName: "key"
        )
    )
    var serverKey: String?

    @OptionGroup var own: CertificateOption

    @Option(
        help: ArgumentHelp(
            "The inventory of a fleet to serve (also FORGEBUS_FLEET).",
            valueName: "file"
        )
    )
    var fleet: String?

    @Option(
        help: ArgumentHelp(
            "For a fleet with keys: the principal for whom the gateway reads the monitors; it needs `read` on monitor.>.",
            valueName: "principal"
        )
    )
    var fleetReader: String?

    @Option(help: ArgumentHelp("The access file with the tokens, for a worker with keys.", valueName: "file"))
    var access: String?

    @Option(
        help: ArgumentHelp(
            "The worker's file, or another file of the same form, with the webhooks to serve.",
            valueName: "file"
        )
    )
    var config: String?

    @OptionGroup var options: HTTPOptions

    @Option(help: "The format of the log on standard error: text, or json (one object on each line).")
    var logFormat: LogFormat = .text

    @Flag(name: [.short, .long], help: "Log more details.")
    var verbose = false

    func validate() throws {
        // A fleet alone needs only the gateway's own keys.
        let servesFleet = fleet != nil || ProcessInfo.processInfo.environment.named("FORGEBUS_FLEET") != nil
        if serverKey != nil || !servesFleet { try keys().requirePair() }
    }

    func run() async throws {
        let log = WorkerLog(format: logFormat, label: "forgebus.gateway")
        defer { log.flush(within: .seconds(1)) }
        var logger = Logger(label: "forgebus.gateway") { WorkerLogHandler(label: $0, log: log) }
        logger.logLevel = verbose ? .debug : .info
        do {
            try await serve(logger)
        } catch {
            let configuration = error as? ConfigurationError
            log.complain(configuration?.lines ?? ["\(error)"], as: configuration?.file == nil ? "forgebus: " : "")
            throw ExitStatus(error).exit
        }
    }

    private func serve(_ logger: Logger) async throws {
        try OpenFiles.require()
        let environment = ProcessInfo.processInfo.environment
        var inventory: Inventory?
        if let path = fleet ?? environment.named("FORGEBUS_FLEET") {
            inventory = try await Inventory(path: path, environment: environment)
        }
        let named = endpoint ?? environment.named("FORGEBUS_ENDPOINT")
        // A fleet alone has no single worker.
        let endpoint = inventory != nil && named == nil ? nil : try Endpoint(named: named, environment)
        let identity = endpoint == nil ? nil : try keys().identity(environment)
        let keyed = inventory?.workers.first { $0.key != nil }
        guard (identity != nil || keyed != nil) == (access != nil) else { throw Errors.incompleteGatewayKeys }
        let file = try access.map { path throws(ConfigurationError) in try AccessFile(contentsOf: path) }
        let endpoints = (endpoint.map { [$0] } ?? []) + (inventory?.workers.map(\.endpoint) ?? [])
        // One worker on another machine is enough for a token.
        var plan = try options.plan(http, access: file, endpoints: endpoints.allSatisfy(\.isLoopback) ? endpoints : [])
        plan.configuration.fleetReader = try reader(for: keyed)
        if let config {
            plan.configuration.webhooks = try Webhook.served(WorkerFile.webhooks(contentsOf: config), file)
        }
        let client = endpoint.map { endpoint in
            BusClient(
                endpoint,
                as: identity,
                source: "gateway",
                patience: .seconds(10),
                retriesRefusals: false,
                logger: logger
            )
        }
        var asker: FleetClient?
        if let inventory { asker = try self.asker(of: inventory, keyed, environment, logger) }
        let gateway = Gateway(
            client.map { ClientBus($0) },
            fleet: asker,
            configuration: plan.configuration,
            logger: logger
        )
        async let _ = { [plan] in await plan.tell(of: gateway) }()
        var services: [any Service] = [gateway]
        services.append(await GatewayReader(gateway, access: access, logger: logger))
        if let socket = NotifySocket(environment: environment) {
            services.append(GatewayNotice(socket: socket, gateway: gateway, logger: logger))
        }
        try await ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        ).run()
        await client?.close()
        await asker?.close()
    }

    /// The keys for the single worker.
    private func keys() throws -> KeyOptions {
        let words =
            (serverKey.map { ["--server-key", $0] } ?? []) + own.words
        return try KeyOptions.parse(words)
    }

    private func reader(for keyed: Inventory.Worker?) throws -> Name? {
        guard let fleetReader else {
            if keyed != nil { throw Errors.noFleetReader }
            return nil
        }
        return try Name(fleetReader)
    }

    private func asker(
        of inventory: Inventory,
        _ keyed: Inventory.Worker?,
        _ environment: [String: String],
        _ logger: Logger
    ) throws -> FleetClient {
        let keys = try own.keys(environment)
        if let keyed, keys == nil { throw Errors.noOwnKeys(for: keyed.name) }
        // A page waits for a worker that does not answer only until it is known to be silent.
        return try FleetClient(
            inventory,
            as: keys,
            source: "gateway",
            patience: .seconds(10),
            logger: logger
        )
    }
}

/// Makes a gateway read its access file and its certificate again at each SIGHUP.
private struct GatewayReader: Service {
    let gateway: Gateway
    let access: String?
    let logger: Logger
    private let signals: UnixSignalsSequence

    /// Makes the reader; from now on, SIGHUP does not end the process.
    init(_ gateway: Gateway, access: String?, logger: Logger) async {
        (self.gateway, self.access, self.logger) = (gateway, access, logger)
        signals = await UnixSignalsSequence(trapping: .sighup)
    }

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { gateway.reread(access: access, logger: logger) }
    }
}

extension Gateway {
    /// Reads the tokens of an access file and the certificate again.
    ///
    /// If a file has an error, the gateway keeps the tokens or the certificate that it has.
    func reread(access path: String?, logger: Logger) {
        do throws(GatewayError) {
            try rereadCertificate()
        } catch {
            logger.error(
                Errors.certificateKept,
                metadata: ["error": "\(error)"]
            )
        }
        guard let path else { return }
        do throws(ConfigurationError) {
            let tokens = try AccessFile(contentsOf: path).accessTokens
            replaceTokens(tokens)
            logger.notice("the gateway has read its access file again", metadata: ["tokens": "\(tokens.count)"])
        } catch {
            logger.error(
                Errors.tokensKept,
                metadata: ["error": "\(error)"]
            )
        }
    }
}
#endif
