import ForgeBusWorker

/// A list of endpoints that the file's `worker:` section and the environment can set.
///
/// The transport module defines the type of an endpoint. This module does not import the transport module, and uses the
/// properties of `WorkerConfiguration` instead.
enum EndpointList: CaseIterable {
    /// Where the worker listens.
    case listen
    /// The endpoints that publishers connect to.
    case publications
    /// The publishers without keys that the worker connects to; ``PublisherDefinition`` reads those with keys.
    case publishers
    /// Where the worker listens with its previous key.
    case previousListen
    /// The endpoints that publishers connect to with the worker's previous key.
    case previousPublications

    /// The keys that lead to the list in the file, starting below `worker:`.
    ///
    /// The environment variable is `FORGEBUS_`, followed by these keys in upper case, joined by `_`.
    var path: [String] {
        switch self {
        case .listen: ["listen"]
        case .publications: ["publications", "bind"]
        case .publishers: ["publications", "connect"]
        case .previousListen: ["previous", "listen"]
        case .previousPublications: ["previous", "publications"]
        }
    }

    /// The name of the environment variable for this list.
    var variable: String { (["FORGEBUS"] + path).joined(separator: "_").uppercased() }

    /// Appends the endpoint that `text` names.
    ///
    /// - Throws: ``ConfigurationError`` with code `bad_value` if the text is not an endpoint, if it is a publisher that
    ///   the worker cannot connect to, or if the list is for a previous key and the worker has none; with code
    ///   `open_door` if a peer without authentication may be on another machine.
    func append(_ text: String, to configuration: inout WorkerConfiguration) throws(ConfigurationError) {
        do {
            switch self {
            case .listen: configuration.endpoints.append(try .init(text))
            case .publications: configuration.publicationEndpoints.append(try .init(text))
            case .publishers: configuration.publishers.append(.init(at: try .init(text)))
            case .previousListen: configuration.previous?.endpoints.append(try .init(text))
            case .previousPublications: configuration.previous?.publicationEndpoints.append(try .init(text))
            }
        } catch {
            throw ConfigurationError(.badValue, error.message, next: error.next)
        }
        guard self != .publishers else {
            guard let flaw = configuration.publishers.last?.flaw(with: configuration.access) else { return }
            throw Errors.publisher(flaw)
        }
        guard isGuarded(in: configuration) else { throw openDoor(text) }
    }

    /// The reason why a worker with these keys cannot have the endpoint `text` in this list; nil if it can.
    func flaw(of text: String, with keys: WorkerKeys) -> ConfigurationError? {
        var scratch = keys.configuration
        do throws(ConfigurationError) {
            try append(text, to: &scratch)
            return nil
        } catch {
            return error
        }
    }

    /// Whether every peer at the endpoint that was appended last is on this machine or must authenticate with a key.
    private func isGuarded(in configuration: WorkerConfiguration) -> Bool {
        switch self {
        case .listen: isKeyed(configuration) || configuration.endpoints.last?.isLocal == true
        case .publications: isKeyed(configuration) || configuration.publicationEndpoints.last?.isLocal == true
        // `KnownPublisher` itself decides.
        case .publishers: true
        case .previousListen, .previousPublications: isKeyed(configuration) && configuration.previous != nil
        }
    }

    private func isKeyed(_ configuration: WorkerConfiguration) -> Bool {
        switch configuration.access {
        case .local: false
        case .keyed: true
        }
    }

    /// Whether a TCP endpoint has the name of a host or of a network interface instead of an IP address.
    private static func hasName(_ text: String) -> Bool {
        guard text.hasPrefix("tcp://"), !text.hasPrefix("tcp://[") else { return false }
        return text.dropFirst("tcp://".count).prefix { $0 != ":" }.contains(where: \.isLetter)
    }

    private func openDoor(_ text: String) -> ConfigurationError {
        switch self {
        case .listen, .publications, .publishers: Errors.openEndpoint(text, hasName: Self.hasName(text))
        case .previousListen, .previousPublications: Errors.noPreviousKey(for: text)
        }
    }
}
