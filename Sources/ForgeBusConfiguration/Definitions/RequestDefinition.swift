import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// An action of the file that requests a run.
struct RequestDefinition {
    let pipeline: Name
    /// The seeds of the requested run, with their places in the file.
    let seeds: [(key: String, source: Source, entry: Entry)]
    let waits: Bool
    /// The place of the pipeline's name in the file, for error messages.
    let entry: Entry

    /// Where a seed's value comes from; a pipeline's action and a monitor's action have different sources.
    enum Source {
        case pipeline(RequestAction.Source)
        case monitor(RequestMonitorAction.Source)
    }

    /// Reads the request; nil after recording the problem.
    init?(_ fields: Fields, _ role: ActionDefinition.Role) {
        waits = fields["wait"]?.flag ?? false
        let example = role == .pipeline ? "{version: \"{seed.version}\"}" : "{topics: \"{cause.topics}\"}"
        let next = "Write a value for each seed, such as \(example)."
        let members = fields["seeds"].flatMap { $0.members("a mapping of seeds to their values", next: next) } ?? []
        seeds = members.compactMap { member in
            Self.source(member.entry, role).map { (member.name, $0, member.entry) }
        }
        guard let entry = fields["request"], let text = entry.text("the name of a pipeline") else { return nil }
        do throws(BusError) {
            pipeline = try Name(text)
        } catch {
            entry.note(Errors.notName(error.message))
            return nil
        }
        self.entry = entry
    }

    /// Reads a value: a placeholder that is the whole text, or a constant.
    static func source(_ entry: Entry, _ role: ActionDefinition.Role) -> Source? {
        guard let value = entry.json else { return nil }
        guard let text = value.string, text.contains("{") else { return constant(value, role) }
        if text.hasPrefix("{{") { return constant(.string(String(text.dropFirst())), role) }
        if text.hasSuffix("}"), let source = source(String(text.dropFirst().dropLast()), role) { return source }
        entry.note(Errors.notPlaceholder(text, of: role.owner, placeholders(role)))
        return nil
    }

    private static func constant(_ value: JSONValue, _ role: ActionDefinition.Role) -> Source {
        role == .pipeline ? .pipeline(.constant(value)) : .monitor(.constant(value))
    }

    private static func source(_ place: String, _ role: ActionDefinition.Role) -> Source? {
        guard role == .pipeline else { return causes[place].map { .monitor($0) } }
        if place == "run.id" { return .pipeline(.runID) }
        if place.hasPrefix("seed."), place != "seed." {
            return .pipeline(.seed(String(place.dropFirst("seed.".count))))
        }
        if place.hasPrefix("value."), place != "value." {
            return .pipeline(.value(String(place.dropFirst("value.".count))))
        }
        return nil
    }

    private static let causes: [String: RequestMonitorAction.Source] = [
        "cause.topic": .topic, "cause.topics": .topics, "cause.count": .count, "cause.publisher": .publisher,
        "cause.body": .body,
    ]

    private static func placeholders(_ role: ActionDefinition.Role) -> String {
        role == .pipeline
            ? "{seed.NAME}, {value.NAME} or {run.id}"
            : causes.keys.sorted().map { "{\($0)}" }.joined(separator: ", ")
    }

    /// The source of each seed, by the seed's key; empty if a monitor's action requests the run.
    var pipelineSeeds: [String: RequestAction.Source] {
        Dictionary(
            seeds.compactMap { key, source, _ in if case .pipeline(let source) = source { (key, source) } else { nil } }
        ) { first, _ in first }
    }

    /// The source of each seed, by the seed's key; empty if a pipeline's action requests the run.
    var monitorSeeds: [String: RequestMonitorAction.Source] {
        Dictionary(
            seeds.compactMap { key, source, _ in if case .monitor(let source) = source { (key, source) } else { nil } }
        ) { first, _ in first }
    }
}

/// The places in the file at which actions and events request runs.
///
/// Some problems of a request can be found only after the whole file has been read. The error then takes its place in
/// the file from this list.
final class RequestPlaces {
    private var places: [RequestRules.Place: Entry] = [:]

    /// Adds the places of an action's request and of its seeds.
    func add(_ request: RequestDefinition, at place: (String?) -> RequestRules.Place) {
        places[place(nil)] = request.entry
        for seed in request.seeds { places[place(seed.key)] = seed.entry }
    }

    /// Adds the place at which the file names the pipeline that an event requests.
    func add(_ event: WorkerEvent, of pipeline: Name?, at entry: Entry) { places[.event(event, of: pipeline)] = entry }

    /// Records each flaw as a problem, at the place of its request or seed.
    func note(_ flaws: [RequestRules.Flaw]) {
        for flaw in flaws {
            places[flaw.place]?.note(ConfigurationError(.badRequest, flaw.message, next: flaw.next))
        }
    }
}

/// Reads the events of the file and the pipelines that they request.
enum EventDefinition {
    /// Reads the mapping `on`; a value that is not a pipeline's name is recorded as a problem and left out.
    static func events(_ entry: Entry?, of pipeline: Name?, _ places: RequestPlaces) -> [WorkerEvent: Name] {
        let all = WorkerEvent.allCases
        guard let entry, let fields = Fields(entry, .events) else { return [:] }
        var events: [WorkerEvent: Name] = [:]
        for event in all {
            guard let target = fields[event.rawValue], let text = target.text("the name of a pipeline") else {
                continue
            }
            do throws(BusError) {
                events[event] = try Name(text)
                places.add(event, of: pipeline, at: target)
            } catch {
                target.note(Errors.notName(error.message))
            }
        }
        return events
    }
}
