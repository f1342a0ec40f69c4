package import ForgeBusProtocol
package import ForgeOrchestrator

/// Finds actions and events that request a run which can never begin.
package struct RequestRules {
    /// The part of a definition that has a flaw.
    package enum Place: Hashable, Sendable {
        /// An action of a pipeline; `seed` is the key of the seed with the flaw, or nil if the flaw is not in a seed.
        case action(ActionID, of: Name, seed: String?)
        /// An action of a monitor; `seed` is the key of the seed with the flaw, or nil if the flaw is not in a seed.
        case monitor(ActionID, of: Name, seed: String?)
        /// An event: of one pipeline, or of the worker if the name is nil.
        case event(WorkerEvent, of: Name?)
    }

    /// A request of a run that can never begin.
    package struct Flaw: Sendable {
        package let place: Place
        /// Why the run can never begin, as one sentence.
        package let message: String
        /// What the author of the definition can do, as one sentence.
        package let next: String

        fileprivate init(place: Place, _ words: Errors.Words) {
            self.place = place
            (message, next) = words
        }
    }

    private let pipelines: [HostedPipeline]
    private let served: [Name: HostedPipeline]

    private init(_ pipelines: [HostedPipeline]) {
        self.pipelines = pipelines
        served = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Finds every flaw in the actions and events with which these pipelines, monitors and the worker request runs.
    package static func flaws(
        _ pipelines: [HostedPipeline],
        _ monitors: [HostedMonitor],
        _ events: [WorkerEvent: Name]
    ) -> [Flaw] {
        let rules = RequestRules(pipelines)
        var flaws = pipelines.flatMap { rules.flaws(in: $0) }
        for monitor in monitors {
            for case let action as RequestMonitorAction in monitor.orchestrator.registered {
                flaws += rules.flaws(of: action, in: monitor)
            }
        }
        return flaws + rules.flaws(in: events, of: nil)
    }

    private func flaws(in pipeline: HostedPipeline) -> [Flaw] {
        var flaws: [Flaw] = []
        for action in pipeline.requests {
            func place(_ seed: String?) -> Place { .action(action.id, of: pipeline.name, seed: seed) }
            guard let target = served[action.pipeline] else {
                flaws.append(unknown(action.pipeline, at: place(nil)))
                continue
            }
            for (key, source) in action.seeds.sorted(by: { $0.key < $1.key }) {
                if case .seed(let name) = source, let flaw = undeclared(name, by: pipeline, at: place(key)) {
                    flaws.append(flaw)
                    continue
                }
                let given = Given(source, in: pipeline)
                if let flaw = self.flaw(of: given, as: key, in: target, at: place(key)) { flaws.append(flaw) }
            }
            if let missing = missing(action.seeds.keys, in: target, at: place(nil)) { flaws.append(missing) }
            if let chain = chain(from: pipeline, through: target) { flaws.append(chain.flaw(at: place(nil))) }
        }
        return flaws + self.flaws(in: pipeline.events, of: pipeline.name)
    }

    private func flaws(of action: RequestMonitorAction, in monitor: HostedMonitor) -> [Flaw] {
        func place(_ seed: String?) -> Place { .monitor(action.id, of: monitor.name, seed: seed) }
        guard let target = served[action.pipeline] else { return [unknown(action.pipeline, at: place(nil))] }
        let flaws = action.seeds.sorted { $0.key < $1.key }.compactMap { key, source in
            flaw(of: Given(source), as: key, in: target, at: place(key))
        }
        return flaws + [missing(action.seeds.keys, in: target, at: place(nil))].compactMap(\.self)
    }

    private func flaws(in events: [WorkerEvent: Name], of pipeline: Name?) -> [Flaw] {
        events.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { event, name in
            let place = Place.event(event, of: pipeline)
            if pipeline != nil, event == .monitorFailed {
                return Flaw(place: place, Errors.eventOfNoPipeline)
            }
            guard let target = served[name] else { return unknown(name, at: place) }
            let offered = Dictionary(uniqueKeysWithValues: WorkerEvent.seeds.map { ($0.key, $0.type) })
            for seed in target.seeds {
                guard let type = offered[seed.key] else {
                    if seed.defaultValue != nil { continue }
                    return Flaw(place: place, Errors.seedOfNoEvent(seed.key, of: name, offered: offered.keys.sorted()))
                }
                if !type.fits(seed.type) { return wrongType(seed, type, in: target, at: place) }
            }
            return nil
        }
    }
}

// Seeds.
extension RequestRules {
    /// The facts about a seed's value that are known before a run.
    private struct Given {
        /// The constant value; nil if it is not constant.
        var constant: JSONValue?
        /// The type; nil if it is not known before the run, or if the value is constant.
        var type: ValueType?
        var isSecret = false

        init(_ source: RequestAction.Source, in pipeline: HostedPipeline) {
            switch source {
            case .constant(let value): constant = value
            case .runID: type = .string
            case .seed(let key), .value(let key):
                let seed = pipeline.seeds.first { $0.key == key }
                (type, isSecret) = (seed?.type, seed?.isSecret ?? false)
            }
        }

        init(_ source: RequestMonitorAction.Source) {
            if case .constant(let value) = source { constant = value } else { type = source.type }
        }
    }

    private func flaw(of given: Given, as key: String, in target: HostedPipeline, at place: Place) -> Flaw? {
        guard let seed = target.seeds.first(where: { $0.key == key }) else {
            return Flaw(place: place, Errors.givesUnknownSeed(key, to: target.name, among: target.seeds.map(\.key)))
        }
        if given.isSecret, !seed.isSecret {
            return Flaw(place: place, Errors.givesSecret(key, to: target.name))
        }
        if let value = given.constant {
            do throws(BusError) {
                _ = try Seed.values(of: [key: value], declared: [seed])
            } catch {
                return Flaw(place: place, Errors.valueDoesNotFit(target.name, because: error.message))
            }
        }
        guard let type = given.type, !type.fits(seed.type) else { return nil }
        return wrongType(seed, type, in: target, at: place)
    }

    private func undeclared(_ name: String, by pipeline: HostedPipeline, at place: Place) -> Flaw? {
        let keys = pipeline.seeds.map(\.key)
        guard !keys.contains(name) else { return nil }
        return Flaw(place: place, Errors.takesUnknownSeed(name, of: pipeline.name, among: keys))
    }

    private func wrongType(_ seed: Seed, _ type: ValueType, in target: HostedPipeline, at place: Place) -> Flaw {
        let isOfEvent = if case .event = place { true } else { false }
        let types = (declared: seed.type.rawValue, given: type.rawValue)
        return Flaw(place: place, Errors.givesWrongType(seed.key, types, to: target.name, isOfEvent: isOfEvent))
    }

    private func missing(_ given: some Collection<String>, in target: HostedPipeline, at place: Place) -> Flaw? {
        guard let seed = target.seeds.first(where: { $0.defaultValue == nil && !given.contains($0.key) }) else {
            return nil
        }
        return Flaw(place: place, Errors.seedNotGiven(seed.key, to: target.name))
    }

    private func unknown(_ name: Name, at place: Place) -> Flaw {
        Flaw(place: place, Errors.requestsUnknown(name, among: pipelines.map(\.name.text)))
    }
}

// Chains.
extension RequestRules {
    /// A chain of pipelines: each requests a run of the next one.
    private struct Chain {
        let names: [Name]
        let isCircle: Bool

        func flaw(at place: Place) -> Flaw {
            let path = names.map(\.text).joined(separator: " → ")
            let most = RequestAction.maximumDepth
            return Flaw(place: place, Errors.badChain(path, requested: names.count - 1, most: most, isCircle: isCircle))
        }
    }

    /// The chain of requests through `first` and `target`, if it is a circle or too long; otherwise nil.
    private func chain(from first: HostedPipeline, through target: HostedPipeline) -> Chain? {
        chain([first.name, target.name])
    }

    private func chain(_ names: [Name]) -> Chain? {
        guard let last = names.last, let pipeline = served[last] else { return nil }
        if names.first == last { return Chain(names: names, isCircle: true) }
        if names.count > RequestAction.maximumDepth + 1 { return Chain(names: names, isCircle: false) }
        // A circle without the first pipeline is found when the search begins at one of the circle's pipelines.
        guard !names.dropLast().contains(last) else { return nil }
        for action in pipeline.requests {
            if let chain = chain(names + [action.pipeline]) { return chain }
        }
        return nil
    }
}

extension ValueType {
    /// Whether a value of this type is accepted for a seed that is declared with the type `declared`.
    fileprivate func fits(_ declared: ValueType) -> Bool {
        self == declared || self == .integer && declared == .number
    }
}

extension HostedPipeline {
    /// The actions that request runs.
    fileprivate var requests: [RequestAction] { orchestrator.registered(RequestAction.self) }
}

extension WorkerError {
    /// The error for a request of a run that can never begin.
    init(_ flaw: RequestRules.Flaw) {
        let place =
            switch flaw.place {
            case .action(let action, let pipeline, _):
                "The action \"\(action)\" of the pipeline \"\(pipeline)\" requests a run that cannot work."
            case .monitor(let action, let monitor, _):
                "The action \"\(action)\" of the monitor \"\(monitor)\" requests a run that cannot work."
            case .event(let event, let pipeline?):
                "The pipeline \"\(pipeline)\" cannot request a run for the event `\(event.rawValue)`."
            case .event(let event, nil): "The worker cannot request a run for the event `\(event.rawValue)`."
            }
        self.init(.definition, "\(place) \(flaw.message)", next: flaw.next)
    }
}
