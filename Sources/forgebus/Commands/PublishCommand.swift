import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol
import Foundation
import Logging
import ZeroMQ

/// The command `forgebus publish`, with its arguments and options.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publishes a change to all workers that listen, without an answer from any of them.",
        discussion: """
            Example: forgebus publish stock.apples --endpoint tcp://127.0.0.1:7718

            With --endpoint, the command connects to the endpoints where workers listen for publications. With --bind, \
            the workers connect to the command: each has its endpoint in `publications.connect`. For workers with keys, \
            --bind needs --certificate, the command's own keys, and --allow, the keys of the workers that may connect.

            The command publishes when --subscribers workers follow the topic. It exits 75, and publishes nothing, if \
            too few do so within --for. It never learns what the workers did: `forgebus notify --wait` asks one worker.
            """
    )

    @Argument(help: "The topic that changed: tokens joined by dots.", transform: Words.name)
    var topic: Name

    @Argument(help: "A hint for the actions of the monitors; the command sends it unchanged.")
    var body: String?

    @Option(
        name: [.short, .long],
        help: "An endpoint where a worker listens for publications; repeat the option for more workers."
    )
    var endpoint: [String] = []

    @Option(
        help: ArgumentHelp(
            "An endpoint to bind, so that workers connect to this command; can be repeated.",
            valueName: "endpoint"
        )
    )
    var bind: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "With --bind, after the topic: the public keys of the workers that may connect, or certificate files with them, such as keys/web-*.key.",
            valueName: "key"
        )
    )
    var allow: [String] = []

    @OptionGroup var keys: KeyOptions

    @Option(
        help: ArgumentHelp("How many workers must follow the topic before the change is published.", valueName: "count")
    )
    var subscribers = 1

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to wait for these workers, such as 30s or 5m; 60s by default.", valueName: "time"),
        transform: TimeSpan.read
    )
    var time: Duration = .seconds(60)

    @Option(
        help: ArgumentHelp("A label that tells workers which program publishes, at most 128 bytes.", valueName: "label")
    )
    var source: String?

    @OptionGroup var form: OutputOptions

    func validate() throws {
        guard endpoint.isEmpty != bind.isEmpty else { throw Errors.publishedNowhere }
        if bind.isEmpty {
            try keys.requirePair()
            if !allow.isEmpty { throw Errors.allowWithoutBind }
        } else {
            if keys.serverKey != nil { throw Errors.serverKeyOfPublisher }
            guard keys.namesCertificate == !allow.isEmpty else { throw Errors.halfPublisherKeys }
        }
        if !(1...100_000).contains(subscribers) {
            throw ValidationError("--subscribers must be from 1 to 100000; found \(subscribers).")
        }
        try TimeSpan.check(time, "--for", from: .milliseconds(1), to: .seconds(86_400))
        for text in endpoint + bind { _ = try Self.endpoint(text) }
    }

    func run() async throws {
        let output = Output(form.output, .one, ifInterrupted: Errors.nothingPublished)
        let status: ExitStatus
        do throws(BusError) {
            let publisher = try await publisher()
            for endpoint in publisher.endpoints { Terminal.complain(["listening at \(endpoint)"]) }
            let ending = await Interruption.ending { () throws(BusError) in try await publish(with: publisher) }
            await publisher.close()
            status = show(ending, output)
        } catch {
            output.show(error)
            status = ExitStatus(error.code)
        }
        output.end()
        if status != .done { throw status.exit }
        try Terminal.checkWritten()
    }

    /// Publishes when enough workers follow the topic.
    ///
    /// - Returns: The number of workers that followed the topic then.
    private func publish(with publisher: BusPublisher) async throws(BusError) -> Int {
        let topic = Topic(topic)
        try await publisher.awaitFollowers(of: topic, atLeast: subscribers, within: time)
        let count = try await publisher.followers(of: topic)
        try publisher.publish(topic, bytes: Array((body ?? "").utf8))
        return count
    }

    private func show(_ ending: Interruption.Ending<Int>, _ output: Output) -> ExitStatus {
        switch ending.result {
        case .success(let count):
            output.show(
                "published: \(count == 1 ? "1 worker follows" : "\(count) workers follow") the topic \"\(topic)\"",
                ["state": "published", "subscribers": .integer(Int64(count))]
            )
            return .done
        case .failure(let error):
            // If the reader of the output has left, there is no message.
            if ending.status != .unread { output.show(ending.status == nil ? error : output.interruption) }
            // Nothing was published, so the outcome is known.
            return ending.status ?? (error.code == .timeout ? .tryAgain : ExitStatus(error.code))
        }
    }

    private func publisher() async throws(BusError) -> BusPublisher {
        var logger = Logger(label: "forgebus") { StreamLogHandler.standardError(label: $0) }
        // A connection problem is reported only once, by the error that it causes.
        logger.logLevel = .error
        let environment = ProcessInfo.processInfo.environment
        guard !bind.isEmpty else {
            let identity = try keys.identity(environment)
            return try await BusPublisher(
                connect: Self.endpoints(endpoint),
                as: identity,
                source: source,
                logger: logger
            )
        }
        guard !allow.isEmpty, let own = try keys.own.keys(environment) else {
            return try await BusPublisher(bind: Self.endpoints(bind), source: source, logger: logger)
        }
        let allowed = try allow.map { text throws(BusError) in try KeyOptions.publicKey(text) }
        return try await BusPublisher(
            bind: Self.endpoints(bind),
            as: own,
            admitting: AllowedKeys(Set(allowed)),
            source: source,
            logger: logger
        )
    }

    private static func endpoint(_ text: String) throws -> Endpoint {
        do throws(ZeroMQError) {
            return try Endpoint(text)
        } catch {
            throw ValidationError(Printable.escaped("\(error.message) \(error.next)"))
        }
    }

    /// The endpoints, which ``validate()`` has read before.
    private static func endpoints(_ texts: [String]) -> [Endpoint] { texts.compactMap { try? Endpoint($0) } }
}
