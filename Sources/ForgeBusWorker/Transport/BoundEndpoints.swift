import Logging
import ZeroMQ

/// The bound endpoints of a worker, with real ports in place of wildcards.
struct BoundEndpoints: Sendable {
    /// The endpoints at which the worker accepts requests, with its current key if it has keys.
    var own: [Endpoint] = []
    /// The endpoints at which the worker accepts requests with its previous key.
    var previous: [Endpoint] = []
    /// The endpoints that publishers connect to.
    var publications: [Endpoint] = []
    /// The endpoints that publishers connect to with the worker's previous key.
    var previousPublications: [Endpoint] = []

    /// Logs the endpoints at which the worker listens, and those at which it listens with its previous key.
    func log(to logger: Logger, _ previousKey: PreviousKey?) {
        logger.info("listening", metadata: ["endpoints": Self.text(own)])
        guard let previousKey else { return }
        var metadata: Logger.Metadata = ["endpoints": Self.text(previous), "key": "\(previousKey.keys.publicKey)"]
        if !previousPublications.isEmpty { metadata["publications"] = Self.text(previousPublications) }
        logger.notice("listening with the previous key", metadata: metadata)
    }

    static func text(_ endpoints: [Endpoint]) -> Logger.MetadataValue {
        "\(endpoints.map(\.text).joined(separator: " "))"
    }
}
