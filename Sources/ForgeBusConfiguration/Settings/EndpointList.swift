import ForgeBusWorker

/// The endpoints of a worker's configuration, from texts.
///
/// The type of an endpoint belongs to the transport, which this module does not import: it is reached through the
/// configuration that holds it.
enum EndpointList {
    /// Appends the endpoint that `text` names.
    ///
    /// - Throws: ``ConfigurationError`` with code `bad_value` if it is none, and with code `open_door` if it can be
    ///   reached from other machines.
    static func append(_ text: String, to configuration: inout WorkerConfiguration) throws(ConfigurationError) {
        do {
            configuration.endpoints.append(try .init(text))
        } catch {
            throw ConfigurationError(.badValue, error.message, next: error.next)
        }
        guard configuration.endpoints.last?.isLocal == true else {
            throw ConfigurationError(
                .openDoor,
                "\(text) can be reached from other machines, and nothing here tells who speaks.",
                next: "Listen at ipc, or at a loopback address such as tcp://127.0.0.1:7717."
            )
        }
    }

    /// Why `text` is no endpoint that a worker may listen at; nil if it is one.
    static func flaw(of text: String) -> ConfigurationError? {
        var scratch = WorkerConfiguration(endpoints: [])
        do throws(ConfigurationError) {
            try append(text, to: &scratch)
            return nil
        } catch {
            return error
        }
    }
}
