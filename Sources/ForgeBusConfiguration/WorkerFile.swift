import ForgeBusProtocol
public import ForgeBusWorker
public import ForgeOrchestrator
public import Logging

public import class Foundation.ProcessInfo

/// The checked definition of a worker, read from a file.
///
/// <doc:TheWorkerFile> describes the format.
///
/// ```swift
/// let file = try WorkerFile(contentsOf: "worker.yaml")
/// try await file.worker().run()
/// ```
///
/// Reading a file starts nothing and changes nothing.
public struct WorkerFile: Sendable {
    /// The worker's settings: overrides take precedence over the environment, and the environment over the file.
    ///
    /// The property `signals` contains patterns of the signal ids that the file's gates can have. The worker keeps
    /// early decisions only on these ids. If your code waits for other signals, add their patterns, or set `signals` to
    /// nil to allow every id.
    public var configuration: WorkerConfiguration
    /// The pipelines, in the order of the file.
    public var pipelines: [HostedPipeline] = []
    /// The monitors, in the order of the file.
    public var monitors: [HostedMonitor] = []
    /// The startup actions; nil if the file has none.
    ///
    /// They must succeed before the worker accepts runs and notifications.
    public var startup: SequenceOrchestrator?
    /// The webhooks of the file by their names; a gateway serves them, and the worker itself does not use them.
    public var webhooks: [String: WebhookDefinition] = [:]
    /// Where the worker stores its state.
    ///
    /// `WorkerFile` does not open the store: open the store yourself, and pass it to the initializer of `BusWorker`.
    public let store: StoreSetting
    /// What the worker wants of its store, such as limits.
    public let storeLimits: StoreLimits
    /// Whether the worker uses the ``DefaultStore``.
    ///
    /// This is true if no store is set in the overrides, in the environment or in the file.
    package let storesAtDefault: Bool
    /// Whether the worker listens at the ``DefaultEndpoint``.
    ///
    /// This is true if `listen` is set neither in the overrides nor in the environment nor in the file.
    public let listensAtDefault: Bool
    private let environment: [String: String]
    /// The programs of the file's commands, each with its place in the file.
    private let programs: [ProgramUse]
    /// The secrets of the file's posts and webhooks.
    private let secrets: [SigningSecret]
    /// The errors of gates that limit who may decide; these are errors only if the worker has no keys.
    let unkeyed: [ConfigurationError]
    /// The record of the commands that runs execute now, in a file beside the store.
    private let book: CommandBook
    /// The lease of the worker's store; nil if no other process can take the store over.
    public let lease: CommandLease?

    /// Reads the file at `path`; the commands that the file defines will run in the file's directory.
    ///
    /// - Parameters:
    ///   - path: The file, at most 1 MiB of UTF-8.
    ///   - environment: The environment: the worker's settings come from variables that begin with `FORGEBUS_`, and
    ///     commands inherit PATH, LANG, HOME and TRACEPARENT.
    ///   - overrides: Settings that override the environment and the file.
    ///   - logger: The logger for warnings of orchestrators and conditions.
    ///   - poster: Sends the requests of actions with `post:`; with nil, such an action is an error.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains all others.
    public init(
        contentsOf path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: WorkerSettings = WorkerSettings(),
        logger: Logger = Logger(label: "forge.bus.file"),
        poster: (any HTTPPoster)? = nil
    ) throws(ConfigurationError) {
        try self.init(SourceFile(contentsOf: path), environment, overrides, logger, poster)
    }

    /// Reads the definition of a worker from a text instead of a file.
    ///
    /// - Parameters:
    ///   - yaml: The text, at most 1 MiB.
    ///   - name: The file's name in errors.
    ///   - directory: The directory in which the commands run, and to which relative paths in the text refer.
    ///   - environment: The environment: the worker's settings come from variables that begin with `FORGEBUS_`, and
    ///     commands inherit PATH, LANG, HOME and TRACEPARENT.
    ///   - overrides: Settings that override the environment and the text.
    ///   - logger: The logger for warnings of orchestrators and conditions.
    ///   - poster: Sends the requests of actions with `post:`; with nil, such an action is an error.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains all others.
    public init(
        yaml: String,
        name: String,
        directory: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: WorkerSettings = WorkerSettings(),
        logger: Logger = Logger(label: "forge.bus.file"),
        poster: (any HTTPPoster)? = nil
    ) throws(ConfigurationError) {
        try self.init(SourceFile(yaml, name: name, directory: directory), environment, overrides, logger, poster)
    }

    /// Makes the worker without a store: the worker ignores ``store`` and loses its state when it ends.
    ///
    /// If the worker listens at the default endpoint, this method first creates the endpoint's directory.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory`, or with code `bad_value` if a gate limits who may decide
    ///   it and the worker has no keys; or an error of `BusWorker`.
    public func worker(logger: Logger = Logger(label: "forge.bus.worker")) throws -> BusWorker {
        try checkIdentities()
        if listensAtDefault { try DefaultEndpoint.prepare(environment: environment) }
        return try BusWorker(configuration, pipelines: pipelines, monitors: monitors, startup: startup, logger: logger)
    }

    /// Creates the directories of the default endpoint and the default store, if the worker uses them.
    ///
    /// On Linux, this method also kills the commands of runs that an earlier worker with the same ``store`` left
    /// running. From then on, the running commands of runs are recorded in a file beside the store. If you do
    /// not make the worker with ``worker(logger:)``, call this method immediately before you make the `BusWorker`.
    ///
    /// For a store in PostgreSQL, that file is in the directory of the default store, which this method creates. The
    /// killing and the recording then wait for the beginning of the ``lease``.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory`, as ``DefaultEndpoint/prepare(environment:)`` and
    ///   ``DefaultStore/prepare(environment:)`` throw it, or with code `bad_value` if a gate limits who may decide it
    ///   and the worker has no keys.
    public func prepare() throws(ConfigurationError) {
        try checkIdentities()
        if listensAtDefault { try DefaultEndpoint.prepare(environment: environment) }
        if storesAtDefault { try DefaultStore.prepare(environment: environment) }
        switch store {
        case .memory: break
        case .file(let path): book.open(at: path + ".commands")
        case .postgreSQL:
            // The commands run on this machine, wherever the database is.
            try DefaultStore.prepare(environment: environment, for: "a record of the commands that run on this machine")
            let path = DefaultStore.path(of: configuration.name, environment: environment) + ".commands"
            // Not before the lease begins: another process on this machine may be the worker until then, and its
            // commands must go on.
            lease?.onBegin { [book] in book.open(at: path) }
        }
    }

    /// Checks that each program exists and can be executed, that each secret can be read, and that the store's directory
    /// exists.
    ///
    /// The directory of the ``DefaultStore`` is not checked, because ``prepare()`` creates it. The results depend on
    /// the machine, so reading a file does not make these checks. A worker starts even if a program is missing; an
    /// action whose program is missing fails.
    ///
    /// - Throws: ``ConfigurationError`` with code `missing_program` or `directory`, or the error of a secret;
    ///   ``ConfigurationError/others`` contains all others.
    public func checkMachine() throws(ConfigurationError) {
        var errors = programs.compactMap(\.error) + secrets.compactMap(\.error)
        if !storesAtDefault, case .file(let path) = store, !ProgramUse.isDirectory(PathText.parts(of: path).directory) {
            errors.append(Errors.noDirectory(ofStore: path))
        }
        try ConfigurationError.check(errors)
    }

    private init(
        _ source: SourceFile,
        _ environment: [String: String],
        _ overrides: WorkerSettings,
        _ logger: Logger,
        _ poster: (any HTTPPoster)?
    ) throws(ConfigurationError) {
        let problems = Problems(file: source.name)
        let fields = Document.root(of: source, problems)
            .flatMap { Fields($0, .workerFile) }
        let keys = try overrides.keys?.read() ?? WorkerKeys()
        let section = WorkerSection(fields?["worker"], keys)
        let settings = MergedSettings(overrides, environment: environment, file: section)
        var target = settings.configuration(keys, problems)
        target.store.isReplicated = section.isReplicated
        (configuration, storeLimits) = (target.configuration, target.store)
        listensAtDefault = settings.listen == nil
        let store = settings.store(in: source.directory) ?? overrides.fallbackStore.map { .file($0) }
        storesAtDefault = store == nil
        self.store = store ?? .file(DefaultStore.path(of: configuration.name, environment: environment))
        for flaw in self.store.flaws(of: configuration.name, isNamed: settings.isNamed, storeLimits) {
            problems.add(flaw)
        }
        // The settings of the worker may differ between machines, and comments change nothing.
        configuration.definitions = ["monitors", "pipelines", "startup", "on"].map {
            "\($0)\n\(fields?[$0]?.revision ?? "")"
        }
        .joined()
        self.environment = environment
        book = CommandBook(logger: logger)
        lease = try Self.lease(self.store)
        let workshop = Workshop(
            directory: source.directory,
            environment: environment,
            limit: .process,
            book: book,
            lease: lease,
            programs: ProgramList(),
            requests: RequestPlaces(),
            poster: poster,
            secrets: SecretList(in: source.directory),
            gates: GateList(),
            logger: logger
        )
        monitors = fields?["monitors"].map(MonitorDefinition(workshop: workshop).monitors) ?? []
        pipelines = fields?["pipelines"].map(PipelineDefinition(workshop: workshop).pipelines) ?? []
        startup = fields?["startup"].map(StartupDefinition(workshop: workshop).sequence)
        webhooks = fields?["webhooks"].map { WebhookDefinition.webhooks($0, workshop.secrets) } ?? [:]
        configuration.events = EventDefinition.events(fields?["on"], of: nil, workshop.requests)
        configuration.publicURL = section.publicURL
        GateRules.checkNamed(workshop.gates.gates)
        // A pipeline with a problem is missing in the list, so correct requests for its runs would look wrong.
        if problems.areNone { workshop.requests.note(RequestRules.flaws(pipelines, monitors, configuration.events)) }
        try problems.check()
        programs = workshop.programs.uses
        secrets = workshop.secrets.secrets
        unkeyed = workshop.gates.unkeyed
        configuration.signals = pipelines.flatMap(\.signals)
        for warning in warnings { logger.warning("\(warning)") }
    }

    /// Makes the lease of a store that another process can take over.
    private static func lease(_ store: StoreSetting) throws(ConfigurationError) -> CommandLease? {
        guard case .postgreSQL = store else { return nil }
        do throws(CommandLease.Failure) {
            return try CommandLease()
        } catch {
            throw Errors.noLease(error)
        }
    }
}
