#if HTTP
import ArgumentParser
import ForgeBusConfiguration
import ForgeBusGateway
import ForgeBusProtocol
import Foundation
import ZeroMQ

/// The options of a command that serves HTTP.
struct HTTPOptions: ParsableArguments {
    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "A host name by which users reach the gateway, besides localhost; repeat the option for more names.",
            valueName: "name"
        )
    )
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file with the gateway's token, for a worker without keys; a missing file is made.",
            valueName: "file"
        )
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "The file with the gateway's TLS certificate, in PEM; needs --tls-key. SIGHUP makes the gateway read both files again.",
            valueName: "file"
        )
    )
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The private key of the TLS certificate, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "For a proxy that logs users in: the header with the name of the principal; needs --proxy-secret-file.",
            valueName: "header"
        )
    )
    var proxyUserHeader: String?

    @Option(
        help: ArgumentHelp(
            "The file with the secret that this proxy sends in the header Forgebus-Proxy-Secret.",
            valueName: "file"
        )
    )
    var proxySecretFile: String?

    @Option(
        help: ArgumentHelp(
            """
            How many connections one address may have; the address's oldest quiet connection is closed for a further one. \
            A proxy with --proxy-secret-file counts as the addresses that it reports.
            """,
            valueName: "number"
        )
    )
    var connectionsPerAddress = GatewayConfiguration().connectionsPerAddress

    @Flag(
        help: """
            For a worker without keys: print a link that logs a browser in once, also if standard output is not a \
            terminal; the link works for 10 minutes.
            """
    )
    var loginLink = false

    func validate() throws {
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key go together: give both, or neither.")
        }
        guard connectionsPerAddress > 0 else {
            throw ValidationError("--connections-per-address must be at least 1.")
        }
        guard (proxyUserHeader == nil) == (proxySecretFile == nil) else {
            throw ValidationError("--proxy-user-header and --proxy-secret-file go together: give both, or neither.")
        }
        if let header = proxyUserHeader, !GatewayPlan.isHeader(header) {
            throw Errors.noHeader(header)
        }
    }

    /// Makes the plan for a gateway: its configuration, and the common token if all users log in with the same token.
    ///
    /// Creates the file of the common token if it does not exist.
    ///
    /// - Parameters:
    ///   - address: Where the gateway listens.
    ///   - access: The access file of a worker with keys; nil for a worker without keys.
    ///   - endpoints: Where the worker listens.
    /// - Returns: The plan for the gateway.
    /// - Throws: `ConfigurationError` if the options do not fit together, or the file of the token or of the proxy's secret
    ///   cannot be used.
    func plan(
        _ address: HTTPAddress,
        access: AccessFile?,
        endpoints: [Endpoint]
    ) throws(ConfigurationError) -> GatewayPlan {
        var plan = GatewayPlan(address: address)
        plan.configuration.names = Set(names)
        plan.configuration.connectionsPerAddress = connectionsPerAddress
        plan.names = names
        if let tlsCertificate, let tlsKey {
            plan.configuration.certificate = CertificateFiles(certificate: tlsCertificate, key: tlsKey)
        }
        if let proxyUserHeader, let proxySecretFile {
            let secret = try PrivateFile.text(at: proxySecretFile, option: "--proxy-secret-file")
            plan.configuration.proxy = TrustedProxy(userHeader: proxyUserHeader, secret: secret)
        }
        guard access == nil else {
            guard tokenFile == nil else {
                throw Errors.tokenFileBesideKeys
            }
            plan.configuration.tokens = access?.accessTokens
            return plan
        }
        // A program that can reach the loopback port for HTTP can also reach the worker's own loopback port, so a token
        // would protect nothing. A further name means that a proxy passes on requests of other machines.
        let isOpen =
            address.isLoopback && names.isEmpty && proxyUserHeader == nil && endpoints.contains(where: \.isLoopback)
        if isOpen, tokenFile == nil { return plan }
        let path = tokenFile ?? DefaultEndpoint.tokenFile()
        if tokenFile == nil { try DefaultEndpoint.prepare() }
        let token = try TokenFile.token(at: path)
        plan.configuration.tokens = [AccessToken(principal: nil, hash: AccessToken.hash(of: token))]
        plan.common = (token, path)
        // Logs keep what is printed, and more people read logs than terminals.
        plan.printsLink = loginLink || Terminal.isInteractive
        return plan
    }
}

/// What a gateway needs to serve, and what its users need to be let in.
struct GatewayPlan: Sendable {
    let address: HTTPAddress
    var configuration = GatewayConfiguration()
    /// The host names by which users reach the gateway, in the order of the command line.
    var names: [String] = []
    /// The token of all users of a worker without keys, and the file that has it; nil if there is none.
    var common: (token: String, file: String)?
    /// Whether to print a link that logs a browser in.
    var printsLink = false

    /// Whether a text is the name of a header: a token of RFC 9110.
    static func isHeader(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    init(address: HTTPAddress) {
        self.address = address
        (configuration.host, configuration.port) = (address.host, address.port)
    }

    /// The host of the printed URL: a gateway that listens at all addresses of its machine is reached by a name.
    ///
    /// Its certificate is for one of its own names. Without a certificate, a proxy may have these names.
    private var host: String {
        guard address.isWildcard else { return address.host }
        return configuration.certificate == nil ? "localhost" : names.first ?? "localhost"
    }

    /// How users of other machines reach a gateway that listens at all addresses of its machine; otherwise empty.
    private var remark: String {
        guard address.isWildcard, host == "localhost" else { return "" }
        return names.first.map { " On other machines, users reach the console by the host name \"\($0)\"." }
            ?? Errors.hostForOthers
    }

    /// Tells the user where the gateway serves and how to get in, once it serves.
    func tell(of gateway: Gateway) async {
        guard let port = await gateway.port else { return }
        let scheme = configuration.certificate == nil ? "http" : "https"
        let url = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        guard let common else {
            let login = configuration.tokens == nil ? "" : " Users log in with a token, which `forgebus token` makes."
            let header = configuration.tokens == nil ? "" : #"-H "Authorization: Bearer TOKEN" "#
            return Terminal.say([
                "The console is at \(url).\(login)\(remark)", "For programs: curl \(header)\(url)/v1/worker",
            ])
        }
        let console =
            printsLink
            ? Errors.loginLink("\(url)\(gateway.loginPath(for: common.token))", tokenFile: common.file)
            : "The console is at \(url). The token for it is in the file \(Printable.quoted(common.file, atMost: 200))."
        Terminal.say([
            console + remark,
            #"For programs: curl -H "Authorization: Bearer $(cat \#(common.file.forShells))" \#(url)/v1/worker"#,
        ])
    }
}

/// An address for HTTP: `HOST:PORT`, or only `PORT` for the loopback address.
struct HTTPAddress: ExpressibleByArgument {
    let host: String
    let port: Int

    init?(argument: String) {
        let (host, port): (Substring, Substring)
        if let colon = argument.lastIndex(of: ":") {
            (host, port) = (argument[..<colon], argument[argument.index(after: colon)...])
        } else {
            (host, port) = ("127.0.0.1", argument[...])
        }
        guard !host.isEmpty, let number = UInt16(port) else { return nil }
        // Brackets set an IPv6 address off from the port.
        self.host = String(host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host)
        self.port = Int(number)
    }

    var defaultValueDescription: String { "\(host):\(port)" }

    /// Whether the address stands for all addresses of this machine.
    var isWildcard: Bool { host == "0.0.0.0" || host == "::" }

    /// Whether only processes of this machine can reach the address.
    var isLoopback: Bool { host == "127.0.0.1" || host == "::1" || host == "localhost" }
}

extension Webhook {
    /// The webhooks of a file as a gateway serves them.
    ///
    /// - Parameters:
    ///   - webhooks: The definitions by their names.
    ///   - access: The access file of a worker with keys; nil for a worker without keys.
    /// - Returns: The webhooks by their names.
    /// - Throws: `ConfigurationError` if a secret cannot be used, or if a webhook of a worker with keys has no principal.
    static func served(
        _ webhooks: [String: WebhookDefinition],
        _ access: AccessFile?
    ) throws(ConfigurationError) -> [String: Webhook] {
        var served: [String: Webhook] = [:]
        for (name, definition) in webhooks {
            guard let signature = Webhook.Signature(rawValue: definition.signature) else { continue }
            _ = try definition.secret()
            guard access == nil || definition.principal != nil else {
                throw Errors.webhookOfNobody(name)
            }
            let effect: Webhook.Effect =
                switch definition.effect {
                case .notify(let topic): .notify(topic: topic)
                case .run(let pipeline, let seeds): .run(pipeline: pipeline, seeds: seeds)
                }
            served[name] = Webhook(
                signature: signature,
                secret: { try definition.secret() },
                principal: definition.principal,
                events: definition.events,
                conditions: definition.conditions,
                effect: effect
            )
        }
        return served
    }
}

extension AccessFile {
    /// The tokens as a gateway reads them.
    var accessTokens: [AccessToken] {
        tokens.map { AccessToken(principal: $0.principal, hash: $0.hash, scope: $0.scope, expiry: $0.expiry) }
    }
}
#endif
