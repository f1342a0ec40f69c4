public import ForgeBusProtocol

/// The key of a record in a store: its kind, and its name or id.
public enum StoreKey: Hashable, Sendable {
    /// A request, by its sender and id.
    case request(RequestKey)
    /// A run, by its id.
    case run(Name)
    /// The progress of a run, by the run's id.
    case progress(Name)
    /// A signal, by its id.
    case signal(Name)
    /// The durable notifications that no successful cycle of a monitor has covered yet, by the monitor's name.
    case debt(Name)
    /// The screen that a MODE request set for a monitor, by the monitor's name.
    case mode(Name)
    /// A run that the worker has requested itself and that has not begun, by the run's id.
    case requested(Name)
    /// A failing monitor, by the monitor's name.
    case trouble(Name)
    /// A paused pipeline, by the pipeline's name.
    case pipelinePause(Name)
    /// A paused monitor, by the monitor's name.
    case monitorPause(Name)
    /// The texts of an ended run, by the run's id.
    case texts(Name)

    /// The kind of a record; the numbers are stored on disk, so they never change.
    public enum Kind: Int, CaseIterable, Hashable, Sendable {
        /// A request that began no run.
        case request = 1
        /// A run.
        case run = 2
        /// The progress of a run.
        case progress = 3
        /// A signal.
        case signal = 4
        /// The durable notifications that no successful cycle of a monitor has covered yet.
        case debt = 5
        /// The screen that a MODE request set for a monitor.
        case mode = 6
        /// A run that the worker has requested itself and that has not begun.
        case requested = 7
        /// A failing monitor.
        case trouble = 8
        /// A paused pipeline.
        case pipelinePause = 9
        /// A paused monitor.
        case monitorPause = 10
        /// The texts of an ended run.
        case texts = 11

        /// Whether ``BusStore/load()`` returns the records of this kind; other records are read one by one.
        public var isLoaded: Bool { self != .texts }
    }

    /// The kind of the record.
    public var kind: Kind {
        switch self {
        case .request: .request
        case .run: .run
        case .progress: .progress
        case .signal: .signal
        case .debt: .debt
        case .mode: .mode
        case .requested: .requested
        case .trouble: .trouble
        case .pipelinePause: .pipelinePause
        case .monitorPause: .monitorPause
        case .texts: .texts
        }
    }

    /// The key as text, unique among keys of the same kind: a name, or, for a request, the id, a space and the
    /// principal.
    public var text: String {
        switch self {
        case .request(let key): "\(key.id.text) \(key.principal)"
        case .run(let name), .progress(let name), .signal(let name), .debt(let name), .mode(let name),
            .requested(let name), .trouble(let name), .pipelinePause(let name), .monitorPause(let name),
            .texts(let name):
            name.text
        }
    }

    /// Creates the key of this kind from its ``text``; nil if no key of this kind has that text.
    public init?(_ kind: Kind, text: String) {
        if kind == .request {
            // A request id contains no space, so the first space ends the id.
            guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")),
                let id = try? RequestID(String(text[..<space]))
            else { return nil }
            self = .request(RequestKey(principal: String(text[text.utf8.index(after: space)...]), id: id))
            return
        }
        guard let name = try? Name(text) else { return nil }
        switch kind {
        case .run: self = .run(name)
        case .progress: self = .progress(name)
        case .signal: self = .signal(name)
        case .debt: self = .debt(name)
        case .mode: self = .mode(name)
        case .requested: self = .requested(name)
        case .trouble: self = .trouble(name)
        case .pipelinePause: self = .pipelinePause(name)
        case .monitorPause: self = .monitorPause(name)
        case .texts: self = .texts(name)
        case .request: return nil
        }
    }
}
