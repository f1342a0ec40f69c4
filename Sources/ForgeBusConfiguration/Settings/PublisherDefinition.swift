import ForgeBusProtocol
import ForgeBusWorker
import ZeroMQ

/// Reads the publishers that a worker connects to: endpoints for a worker without keys, mappings for one with keys.
struct PublisherDefinition {
    let keys: WorkerKeys

    /// The endpoints of publishers without keys, and the publishers with keys.
    func publishers(_ entry: Entry) -> (endpoints: [String], known: [KnownPublisher]) {
        var (endpoints, known): ([String], [KnownPublisher]) = ([], [])
        for element in entry.someElements("a list of publishers") ?? [] {
            if case .mapping = element.node {
                if let publisher = publisher(element) { known.append(publisher) }
            } else if let text = element.text("an endpoint, or a mapping with endpoint, principal and key") {
                if let flaw = EndpointList.publishers.flaw(of: text, with: keys) {
                    element.note(flaw)
                } else {
                    endpoints.append(text)
                }
            }
        }
        return (endpoints, known)
    }

    private func publisher(_ entry: Entry) -> KnownPublisher? {
        guard let fields = Fields(entry, .publisher) else { return nil }
        let endpoint = fields.required("endpoint").flatMap(Self.endpoint)
        let principal = fields.required("principal").flatMap(Self.principal)
        let key = fields.required("key").flatMap(Self.key)
        guard let endpoint, let principal, let key else { return nil }
        let publisher = KnownPublisher(at: endpoint, as: principal, key: key)
        guard let flaw = publisher.flaw(with: keys.access) else { return publisher }
        entry.note(Errors.publisher(flaw))
        return nil
    }

    private static func endpoint(_ entry: Entry) -> Endpoint? {
        guard let text = entry.text("an endpoint") else { return nil }
        do throws(ZeroMQError) { return try Endpoint(text) } catch {
            entry.note(ConfigurationError(.badValue, error.message, next: error.next))
            return nil
        }
    }

    private static func principal(_ entry: Entry) -> Name? {
        guard let text = entry.text("the name of a principal") else { return nil }
        do throws(BusError) { return try Name(text) } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    private static func key(_ entry: Entry) -> AccessPolicy.Key? {
        guard let text = entry.text("a public key in quotation marks") else { return nil }
        do throws(WorkerError) { return try AccessPolicy.key(text) } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }
}
