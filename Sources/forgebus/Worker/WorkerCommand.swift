import ArgumentParser
import ForgeBusConfiguration
import ForgeBusWorker
import Foundation
import Logging
import ServiceLifecycle

#if HTTP
import ForgeBusGateway
#endif

/// The command `forgebus worker`, with its arguments and options.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Runs the monitors and pipelines of a file; without a file, it runs a demonstration.",
        discussion: """
            Example: forgebus worker --config worker.yaml

            SIGTERM and Ctrl-C drain the worker: running actions finish within the drain time, then it exits 0. If the \
            variable NOTIFY_SOCKET is set, the worker notifies the service manager when it accepts requests and when \
            the drain begins.

            Without keys, the worker serves only senders on this machine. With --access and --certificate, it serves \
            only senders that have a key of the access file, on any machine.

            To replace the worker's own keys, give the old ones as --previous-certificate, and the endpoints where \
            the worker still uses them as --previous-listen, until all senders know the new public key.
            """
    )

    @Option(name: [.short, .long], help: ArgumentHelp("The file that defines the worker.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "An endpoint to listen at, instead of the file's endpoints; repeat the option for more endpoints.",
            valueName: "endpoint"
        )
    )
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The access file, which says which key may do what; needs --certificate. SIGHUP makes the worker read it again.",
            valueName: "file"
        )
    )
    var access: String?

    @Option(
        help: ArgumentHelp("The worker's own keys: a file NAME.key_secret from `forgebus keygen`.", valueName: "file")
    )
    var certificate: String?

    @Option(
        help: ArgumentHelp(
            "The keys that the worker had before, for the endpoints of --previous-listen. Needs --certificate.",
            valueName: "file"
        )
    )
    var previousCertificate: String?

    @Option(
        help: ArgumentHelp(
            "An endpoint for the previous keys, instead of `previous.listen` in the file; can be repeated.",
            valueName: "endpoint"
        )
    )
    var previousListen: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the store, the URL of a PostgreSQL database, or `memory` for a worker that loses all records when it stops.",
            discussion: """
                With a database, such as postgres://db.example/forgebus, one process with the worker's name serves. Every \
                other process with this name waits, and one of them takes the worker over when the first one stops or \
                fails. Without this option, FORGEBUS_STORE or the worker file can name the store. By default, the store \
                is NAME.sqlite in $STATE_DIRECTORY, or else in $XDG_STATE_HOME/forgebus, or else in \
                ~/.local/state/forgebus; the demonstration keeps its store beside its other files.
                """,
            valueName: "file"
        )
    )
    var store: String?

    @Flag(
        help: ArgumentHelp(
            "With a store in PostgreSQL: take the worker over although the last process failed and had another worker file.",
            discussion: """
                If the last process was stopped, any process can take the worker over, and this flag is not needed. If \
                the last process failed, this process waits if its worker file has other monitors, pipelines, \
                `startup` or `on` than the file of the last process: a process with the earlier definitions must first \
                take the worker over and be stopped. With this flag, this process does not wait.
                """
        )
    )
    var replaceDefinitions = false

    @Option(help: "The worker's name, instead of the name in the file.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The time that executing actions get after a stop request, such as 30s or 2h.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var drain: Duration?

    #if HTTP
    @Option(
        help: ArgumentHelp(
            "Serve HTTP, too, as `forgebus gateway` does, at this address and port, such as 0.0.0.0:7780; or only the port, at 127.0.0.1.",
            valueName: "address"
        )
    )
    var http: HTTPAddress?

    @OptionGroup var httpOptions: HTTPOptions
    #endif

    @Flag(
        help: ArgumentHelp(
            "Check the worker's file and keys without starting the worker; show what it would host, and which unfinished runs it would park.",
            discussion: """
                The check opens no endpoint and changes nothing. If the store is a file, the check reads the runs from \
                this file; it does not read a database. It cannot read a file that a worker uses: then make a backup \
                with `forgebus store backup`, and name the backup with --store.
                """
        )
    )
    var check = false

    @Option(help: "The format of the log on standard error: text, or json (one object on each line).")
    var logFormat: LogFormat = .text

    @Flag(name: [.short, .long], help: "Log more details.")
    var verbose = false

    func validate() throws {
        guard (access == nil) == (certificate == nil) else {
            throw Errors.halfKeys
        }
        if previousCertificate != nil, certificate == nil {
            throw Errors.previousKeysAlone
        }
        if check, config == nil { throw ValidationError("--check can only be used with --config.") }
        try TimeSpan.check(drain, "--drain", from: .zero, to: .seconds(86_400))
    }

    func run() async throws { try await run(storingAt: nil) }

    /// Runs the worker; with `fallback`, its store is this file if nothing names a store.
    func run(storingAt fallback: String?) async throws {
        let log = WorkerLog(format: logFormat)
        // The command waits until the last lines of the log are written, but at most one second, because the reader of
        // the log may have stopped.
        defer { log.flush(within: .seconds(1)) }
        var logger = Logger(label: "forgebus.worker") { WorkerLogHandler(label: $0, log: log) }
        logger.logLevel = verbose ? .debug : .info
        do {
            let file = try definition(logger, fallback)
            if check {
                try file.checkIdentities()
                try file.checkMachine()
                return try Self.tell(try FileSummary(of: file, logger), await ForetoldRuns(of: file))
            }
            try OpenFiles.require()
            try file.prepare()
            let worker = try BusWorker(
                file.configuration,
                pipelines: file.pipelines,
                monitors: file.monitors,
                startup: file.startup,
                store: file.openStore(replacesDefinitions: replaceDefinitions, logger),
                logger: logger
            )
            try await serve(worker, from: file, logger)
        } catch let exit as ExitCode {
            throw exit
        } catch {
            let configuration = error as? ConfigurationError
            // Editors understand a line that begins with its place in a file.
            log.complain(configuration?.lines ?? ["\(error)"], as: configuration?.file == nil ? "forgebus: " : "")
            throw ExitStatus(error).exit
        }
    }

    private func serve(_ worker: BusWorker, from file: WorkerFile, _ logger: Logger) async throws {
        var services: [any Service] = [worker]
        var rereads: [@Sendable (String?) -> Void] = []
        #if HTTP
        if let http {
            let policy = try access.map { path throws(ConfigurationError) in try AccessFile(contentsOf: path) }
            var plan = try httpOptions.plan(http, access: policy, endpoints: file.configuration.endpoints)
            plan.configuration.webhooks = try Webhook.served(file.webhooks, policy)
            let gateway = Gateway(WorkerBus(worker: worker), configuration: plan.configuration, logger: logger)
            // A group ends its services from the last to the first: the gateway before the worker.
            services.append(gateway)
            rereads.append { gateway.reread(access: $0, logger: logger) }
            Task { [plan] in await plan.tell(of: gateway) }
        }
        #endif
        services += await attendants(of: worker, from: file, rereads, logger)
        try await ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        ).run()
    }

    /// Sends the requests of `post:`; nil in a program without HTTP.
    private static var poster: (any HTTPPoster)? {
        #if HTTP
        PostingClient()
        #else
        nil
        #endif
    }

    private static func tell(_ summary: FileSummary, _ foretold: ForetoldRuns) throws {
        Terminal.say(summary.lines + foretold.lines)
        try Terminal.checkWritten()
    }

    /// The services that handle SIGHUP and notify the service manager; they end before the worker begins to drain.
    ///
    /// After SIGHUP, each of `rereads` gets the path of the access file, if there is one.
    private func attendants(
        of worker: BusWorker,
        from file: WorkerFile,
        _ rereads: [@Sendable (String?) -> Void],
        _ logger: Logger
    ) async -> [any Service] {
        let socket = NotifySocket(environment: ProcessInfo.processInfo.environment)
        var attendants: [any Service] = []
        // A service manager may send SIGHUP for a reload, which must not end a worker without an access file.
        if access != nil || socket != nil || !rereads.isEmpty {
            attendants.append(await AccessReader(worker, path: access, others: rereads, logger: logger))
        }
        if let socket {
            attendants.append(
                ServiceNotice(
                    socket: socket,
                    worker: worker,
                    hasStartup: file.startup != nil,
                    drainTime: file.configuration.drainTime,
                    logger: logger
                )
            )
            let environment = ProcessInfo.processInfo.environment
            if let period = Watchdog.period(environment: environment, process: getpid()) {
                // The counters are read on the worker's loop.
                let probe: @Sendable () async throws -> Void = { _ = try await worker.counters }
                attendants.append(Watchdog(socket: socket, period: period, probe: probe, logger: logger))
            }
        }
        return attendants
    }

    private func definition(_ logger: Logger, _ fallbackStore: String?) throws -> WorkerFile {
        var settings = WorkerSettings()
        settings.name = name
        settings.listen = listen.isEmpty ? nil : listen
        settings.store = store
        settings.fallbackStore = fallbackStore
        settings.previousListen = previousListen.isEmpty ? nil : previousListen
        if let access, let certificate {
            settings.keys = KeyFiles(
                access: access,
                certificate: certificate,
                previousCertificate: previousCertificate
            )
        }
        settings.drain = drain
        if let config {
            return try WorkerFile(contentsOf: config, overrides: settings, logger: logger, poster: Self.poster)
        }
        return try .inNewDirectory(settings, logger: logger)
    }
}
