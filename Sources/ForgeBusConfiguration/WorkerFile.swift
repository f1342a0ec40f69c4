public import ForgeBusWorker
public import ForgeOrchestrator
public import Logging

public import class Foundation.ProcessInfo

/// A worker as a file defines it: what the file says, checked.
///
/// The format is described in <doc:WorkerFile>.
///
/// ```swift
/// let file = try WorkerFile(contentsOf: "worker.yaml")
/// try await file.worker().run()
/// ```
///
/// Reading a file starts nothing and touches nothing else.
public struct WorkerFile: Sendable {
    /// What the worker is apart from what it hosts: the file, over which the environment counts, over which counts what
    /// was said at the start.
    ///
    /// Its signals are those of the file's gates: give it more, or nil, before announcing others.
    public var configuration: WorkerConfiguration
    /// The pipelines, in the order of the file.
    public var pipelines: [HostedPipeline] = []
    /// The monitors, in the order of the file.
    public var monitors: [HostedMonitor] = []
    /// What must be through before requests are taken; nil if the file names nothing.
    public var startup: SequenceOrchestrator?
    /// Where the worker keeps what must survive it; whoever makes the worker opens it.
    public let store: StoreSetting
    /// Whether nobody said where, so that it is kept at the ``DefaultStore``.
    package let storesAtDefault: Bool
    /// Whether no endpoint was named, so that the worker listens at the ``DefaultEndpoint``.
    public let listensAtDefault: Bool
    private let environment: [String: String]
    /// Which commands of runs execute.
    private let book: CommandBook

    /// Reads the file at `path`, in whose directory its commands will run.
    ///
    /// - Parameters:
    ///   - path: The file, at most 1 MiB of UTF-8.
    ///   - environment: Where variables that begin with `FORGEBUS_` are looked up, and what commands get PATH, LANG, HOME
    ///     and TRACEPARENT of.
    ///   - overrides: What counts more than the environment and the file.
    ///   - logger: Where orchestrators and conditions warn.
    /// - Throws: ``ConfigurationError``: the first thing that is wrong, with everything else in it.
    public init(
        contentsOf path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: WorkerSettings = WorkerSettings(),
        logger: Logger = Logger(label: "forge.bus.file")
    ) throws(ConfigurationError) {
        try self.init(SourceFile(contentsOf: path), environment, overrides, logger)
    }

    /// Reads `yaml` as if it were a file.
    ///
    /// - Parameters:
    ///   - yaml: The text, at most 1 MiB.
    ///   - name: What errors call it.
    ///   - directory: Where its commands run, and what relative paths of programs are relative to.
    ///   - environment: Where variables that begin with `FORGEBUS_` are looked up, and what commands get PATH, LANG, HOME
    ///     and TRACEPARENT of.
    ///   - overrides: What counts more than the environment and the text.
    ///   - logger: Where orchestrators and conditions warn.
    /// - Throws: ``ConfigurationError``: the first thing that is wrong, with everything else in it.
    public init(
        yaml: String,
        name: String,
        directory: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        overrides: WorkerSettings = WorkerSettings(),
        logger: Logger = Logger(label: "forge.bus.file")
    ) throws(ConfigurationError) {
        try self.init(SourceFile(yaml, name: name, directory: directory), environment, overrides, logger)
    }

    /// The worker of this file, without a store: what it keeps ends with it, whatever ``store`` says.
    ///
    /// Makes the directory of the default endpoint first, if that is where it listens.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory`, or what `BusWorker` throws.
    public func worker(logger: Logger = Logger(label: "forge.bus.worker")) throws -> BusWorker {
        if listensAtDefault { try DefaultEndpoint.prepare(environment: environment) }
        return try BusWorker(configuration, pipelines: pipelines, monitors: monitors, startup: startup, logger: logger)
    }

    /// Makes what the worker needs and is not there yet: the directories of the default endpoint and the default store.
    ///
    /// Ends what is left of the commands of an earlier worker with this ``store``, where its commands did not end with it,
    /// and has it kept beside the store from now on which commands execute. For those who make the worker themselves,
    /// right before they do.
    ///
    /// - Throws: ``ConfigurationError`` with code `directory`, as ``DefaultEndpoint/prepare(environment:)`` and
    ///   ``DefaultStore/prepare(environment:)``.
    public func prepare() throws(ConfigurationError) {
        if listensAtDefault { try DefaultEndpoint.prepare(environment: environment) }
        if storesAtDefault { try DefaultStore.prepare(environment: environment) }
        if case .file(let path) = store { book.open(at: path + ".commands") }
    }

    private init(
        _ source: SourceFile,
        _ environment: [String: String],
        _ overrides: WorkerSettings,
        _ logger: Logger
    ) throws(ConfigurationError) {
        let problems = Problems(file: source.name)
        let fields = Document.root(of: source, problems)
            .flatMap { Fields($0, ["worker", "monitors", "pipelines", "startup"], of: "a worker's file") }
        let access = try overrides.keys?.read() ?? .local
        let settings = MergedSettings(
            overrides,
            environment: environment,
            file: WorkerSection(fields?["worker"], access)
        )
        configuration = settings.configuration(access, problems)
        listensAtDefault = settings.listen == nil
        let store = settings.store(in: source.directory)
        storesAtDefault = store == nil
        self.store = store ?? .file(DefaultStore.path(of: configuration.name, environment: environment))
        self.environment = environment
        book = CommandBook(logger: logger)
        let workshop = Workshop(
            directory: source.directory,
            environment: environment,
            limit: .process,
            book: book,
            logger: logger
        )
        monitors = fields?["monitors"].map(MonitorDefinition(workshop: workshop).monitors) ?? []
        pipelines = fields?["pipelines"].map(PipelineDefinition(workshop: workshop).pipelines) ?? []
        startup = fields?["startup"].map(StartupDefinition(workshop: workshop).sequence)
        try problems.check()
        configuration.signals = pipelines.flatMap(\.signals)
        warnOfUnknownDeciders(logger)
    }

    /// A gate that only strangers may decide stays shut, which is safe and perhaps not what was meant.
    private func warnOfUnknownDeciders(_ logger: Logger) {
        guard case .keyed(_, let policy) = configuration.access else { return }
        for pipeline in pipelines {
            let unknown = pipeline.deciders.subtracting(policy.principalNames).sorted()
            guard !unknown.isEmpty else { continue }
            logger.warning(
                "gates allow principals whom the access file does not know",
                metadata: ["pipeline": "\(pipeline.name)", "principals": "\(unknown.joined(separator: " "))"]
            )
        }
    }
}
