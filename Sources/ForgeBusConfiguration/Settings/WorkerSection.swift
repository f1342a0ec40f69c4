import ForgeBusProtocol
import ForgeBusWorker

/// The valid settings in the `worker:` section of a file.
struct WorkerSection {
    var name: String?
    /// The store: the path of a file, the URL of a PostgreSQL database, or `memory`.
    var store: String?
    /// The address of the web page that shows this worker, without a slash at the end.
    var publicURL: String?
    /// Whether a change is acknowledged only when a synchronous replica of the store's database has the change.
    var isReplicated = false
    /// The valid endpoints of each list that the section has.
    var endpoints: [EndpointList: [String]] = [:]
    /// The valid publishers with keys.
    var publishers: [KnownPublisher] = []
    /// The valid numbers, each under the name of its setting's environment variable.
    var numbers: [String: Int] = [:]
    private let keys: WorkerKeys

    /// Reads the section for a worker with these keys; without a section, nothing is set.
    init(_ entry: Entry?, _ keys: WorkerKeys) {
        self.keys = keys
        guard let entry, let fields = Fields(entry, .worker) else { return }
        name = fields["name"].flatMap(Self.name)
        store = fields["store"].flatMap(Self.store)
        isReplicated = fields["replicated"]?.flag ?? false
        publicURL = fields["public_url"].flatMap(Self.publicURL)
        endpoints[.listen] = fields["listen"].flatMap { endpoints($0, for: .listen) }
        read([.publications, .publishers], fields.fields("publications"))
        read([.previousListen, .previousPublications], fields.fields("previous"))
        read(NumberSetting.times, fields)
        read(NumberSetting.storeLimits, fields.fields("store_limits"))
        read(NumberSetting.limits, fields.fields("limits"))
    }

    private mutating func read(_ lists: [EndpointList], _ fields: Fields?) {
        guard let fields else { return }
        for list in lists {
            guard let entry = fields[list.path[1]] else { continue }
            guard list == .publishers else {
                endpoints[list] = endpoints(entry, for: list)
                continue
            }
            let read = PublisherDefinition(keys: keys).publishers(entry)
            if !read.endpoints.isEmpty { endpoints[list] = read.endpoints }
            publishers = read.known
        }
    }

    private mutating func read(_ settings: [NumberSetting], _ fields: Fields?) {
        guard let fields else { return }
        for setting in settings { numbers[setting.variable] = setting.value(in: fields) }
    }

    private static func store(_ entry: Entry) -> String? {
        let expected = "`memory`, the path of a file, or the URL of a PostgreSQL database"
        guard let text = entry.text(expected) else { return nil }
        if text.contains("$") || text.hasPrefix("~") {
            entry.note(Errors.variableInStore(text, isURL: text.contains("://")))
            return nil
        }
        guard text.isEmpty else { return text }
        entry.note(Errors.emptyStore(expected: expected))
        return nil
    }

    private static func publicURL(_ entry: Entry) -> String? {
        guard let text = entry.text("an address such as https://bus.example.org") else { return nil }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        let rest = text.dropFirst(scheme?.count ?? 0)
        guard scheme != nil, let first = rest.first, first != "/", rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !rest.contains(where: { "?#\"<>".contains($0) })
        else {
            entry.note(Errors.notPublicURL(text))
            return nil
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func name(_ entry: Entry) -> String? {
        guard let text = entry.text("a name") else { return nil }
        guard let flaw = Names.flaw(in: text) else { return text }
        entry.note(Errors.notName(flaw))
        return nil
    }

    private func endpoints(_ entry: Entry, for list: EndpointList) -> [String]? {
        guard let elements = entry.someElements("a list of endpoints") else { return nil }
        return elements.compactMap { element in
            guard let text = element.text("an endpoint") else { return nil }
            if let flaw = list.flaw(of: text, with: keys) {
                element.note(flaw)
                return nil
            }
            return text
        }
    }
}

/// The grammar of names, for messages about files.
enum Names {
    static let rule =
        "Use parts of 1 to 64 characters from A-Z a-z 0-9 _ -, joined by dots, at most 256 bytes in total."

    /// The reason why `text` is not a name; nil if it is a name.
    static func flaw(in text: String) -> String? {
        do throws(BusError) {
            _ = try Name(text)
            return nil
        } catch {
            return error.message
        }
    }
}
