public import ForgeBusProtocol

/// A webhook of a worker's file: a path of the gateway at which a web service reports its events.
///
/// <doc:TheWorkerFile#webhooks> describes the keys.
public struct WebhookDefinition: Sendable {
    /// How the service signs its deliveries: `github`, `gitlab` or `standard`.
    public let signature: String
    /// The principal for which the gateway sends the requests; nil only for a worker without keys.
    public let principal: Name?
    /// The events that have an effect; nil for all.
    public let events: Set<String>?
    /// The conditions on a delivery: for each placeholder, such as `body.action`, the values that it may have.
    ///
    /// A delivery has an effect only if all conditions are met.
    public let conditions: [String: [JSONValue]]
    /// What a delivery causes.
    public let effect: Effect
    private let file: SigningSecret

    /// What a delivery causes.
    public enum Effect: Sendable {
        /// A notification; `{event}` in the topic stands for the event.
        case notify(topic: String)
        /// A run with these seeds, in which texts such as `{body.ref}` stand for parts of the delivery.
        case run(pipeline: Name, seeds: JSONObject)
    }

    /// Reads the secret from its file.
    ///
    /// - Throws: ``ConfigurationError`` if the file cannot be read, is empty, or may be used by everybody on the
    ///   machine; for the signature `standard`, also if the file has no key of *Standard Webhooks*.
    public func secret() throws(ConfigurationError) -> String {
        if file.isKey { _ = try file.key() }
        return try file.text()
    }
}

extension WorkerFile {
    /// Reads only the webhooks of the file at `path`, for a gateway that serves a worker in another process.
    ///
    /// Everything else in the file is for that worker, which may have keys that the gateway does not know. So the other
    /// keys are not checked, except that their names must be those of a worker's file.
    ///
    /// - Parameter path: The file, at most 1 MiB of UTF-8; paths in it refer to the file's directory.
    /// - Returns: The webhooks by their names.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains all others.
    public static func webhooks(contentsOf path: String) throws(ConfigurationError) -> [String: WebhookDefinition] {
        let source = try SourceFile(contentsOf: path)
        let problems = Problems(file: source.name)
        let fields = Document.root(of: source, problems).flatMap { Fields($0, .workerFile) }
        let webhooks =
            fields?["webhooks"].map { WebhookDefinition.webhooks($0, SecretList(in: source.directory)) } ?? [:]
        try problems.check()
        return webhooks
    }
}

extension WebhookDefinition {
    private static let signatures: KeyValuePairs = ["github": "github", "gitlab": "gitlab", "standard": "standard"]

    /// Reads the webhooks by their names, and records every problem.
    static func webhooks(_ entry: Entry, _ secrets: SecretList) -> [String: WebhookDefinition] {
        var webhooks: [String: WebhookDefinition] = [:]
        let next = "Write each webhook as `NAME:`, with its keys below it and without a dash."
        for member in entry.members("a mapping of names to webhooks", next: next) ?? [] {
            guard let name = member.checkedName else { continue }
            webhooks[name.text] = WebhookDefinition(member.entry, secrets)
        }
        return webhooks
    }

    private init?(_ entry: Entry, _ secrets: SecretList) {
        guard let fields = Fields(entry, .webhook) else { return nil }
        let signature = fields.required("signature").flatMap { _ in fields.choice("signature", Self.signatures) }
        let file = fields.required("secret_file").flatMap { secrets.secret($0, isKey: signature == "standard") }
        principal = fields["as"].flatMap { $0.name("the name of a principal") }
        events = fields["events"]?.distinctTexts("a list of names of events").map { Set($0) }
        conditions = fields["only"].map(Self.conditions) ?? [:]
        let effect = Self.effect(fields)
        guard let signature, let file, let effect else { return nil }
        (self.signature, self.file, self.effect) = (signature, file, effect)
    }

    private static func effect(_ fields: Fields) -> Effect? {
        switch (fields["topic"], fields["run"]) {
        case (let topic?, nil):
            if fields["seeds"] != nil { fields.note(Errors.seedsOfNotification, at: "seeds") }
            return self.topic(topic).map { .notify(topic: $0) }
        case (nil, let run?):
            let seeds = fields["seeds"].map(self.seeds) ?? [:]
            return run.name("the name of a pipeline").map { .run(pipeline: $0, seeds: seeds) }
        case (_?, _?):
            fields.note(Errors.topicAndRun, at: "run")
        case (nil, nil):
            fields.entry.note(Errors.neitherTopicNorRun)
        }
        return nil
    }

    private static func conditions(_ entry: Entry) -> [String: [JSONValue]] {
        var conditions: [String: [JSONValue]] = [:]
        let expected = "a mapping of places in the delivery to values"
        for member in entry.members(expected, next: Errors.conditions) ?? [] {
            if "{\(member.name)}".wholeMatch(of: place) == nil {
                member.entry.note(Errors.notPlace(member.name))
            }
            conditions[member.name] = member.entry.json.map { $0.array ?? [$0] }
        }
        return conditions
    }

    private static func topic(_ entry: Entry) -> String? {
        guard let text = entry.text("a topic") else { return nil }
        do throws(BusError) {
            _ = try Name(text.replacing("{event}", with: "x"))
            return text
        } catch {
            let filled = Printable.quoted(text.replacing("{event}", with: "x"))
            let flaw = error.message.replacing(filled, with: Printable.quoted(text))
            let odd = text.replacing("{event}", with: "").first { !Self.isAllowedInTopic($0) }
            entry.note(Errors.notTopic(text, character: odd, flaw: flaw))
            return nil
        }
    }

    private static func isAllowedInTopic(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber) || "_-.".contains(character)
    }

    private static func seeds(_ entry: Entry) -> JSONObject {
        var seeds = JSONObject()
        let next = "Write a value for each seed, such as {version: \"{body.ref}\"}."
        for member in entry.members("a mapping of seeds to their values", next: next) ?? [] {
            guard let value = member.entry.json else { continue }
            if let text = value.string, text.contains("{"), !text.hasPrefix("{{"), text.wholeMatch(of: place) == nil {
                let places = "{event}, {delivery}, {body} or {body.KEY.KEY}"
                member.entry.note(Errors.notPlaceholder(text, of: "a webhook", places))
            }
            seeds[member.name] = value
        }
        return seeds
    }

    private static var place: Regex<Substring> { #/\{(?:event|delivery|body(?:\.[^.{}]+)*)\}/# }
}
