import ForgeBusProtocol
import Foundation
import HTTPTypes

/// Answers the pages of the console: what waits, what runs, what needs attention.
///
/// A page is made of the worker's answers to the same requests that the API sends. A form posts to the
/// address of what it changes, and the answer leads back to a page, so everything works without JavaScript.
struct Console: Sendable {
    let bus: any GatewayBus
    /// What asks the workers of a fleet; nil for a gateway of one worker.
    let fleet: FleetAPI?
    /// Whether there is a single worker, whose pages are the first ones.
    let hasWorker: Bool
    /// Whether users log in with a token.
    let hasLogin: Bool

    /// Answers a request for a page; nil if the console has nothing at this path.
    func respond(to request: APIRequest) async -> APIResponse? {
        do throws(BusError) {
            switch request.method {
            case .get, .head:
                if let page = try await page(request) { return page.response() }
                // A person reads the problem as a page.
                guard request.fields[.accept]?.contains("text/html") == true else { return nil }
                throw Errors.unknownPath("/" + request.path.joined(separator: "/"))
            case .post: return try await change(request)
            default: return nil
            }
        } catch {
            return await failed(error, request)
        }
    }

    // MARK: Pages

    private func page(_ request: APIRequest) async throws(BusError) -> ConsolePage? {
        let reader = ConsoleReader(bus: bus, sender: request.sender, now: Date())
        var page: ConsolePage
        let path = request.path
        switch (path.first, path.count) {
        case ("", 1) where !hasWorker, ("fleet", 1):
            guard let fleet else { throw Errors.noFleet }
            page = try await FleetPage(fleet: fleet, sender: request.sender, now: Date()).page(request)
        case ("", 1): page = try await reader.waiting()
        case ("gates", 2): page = try await reader.gate(Name(path[1]))
        case ("runs", 1): page = try await reader.runs(request)
        case ("runs", 2): page = try await reader.run(Name(path[1]))
        case ("attention", 1): page = try await reader.attention()
        case ("monitors", 1): page = try await reader.monitors()
        case ("monitors", 2): page = try await reader.monitor(Name(path[1]))
        case ("pipelines", 1), ("pipelines", 2): page = try await reader.pipelines()
        default: return nil
        }
        await page.frame(by: reader, hasLogin: hasLogin, hasFleet: fleet != nil)
        page.notice = request.query.first { $0.name == "done" }.flatMap { Notice.all[$0.value] }
        return page
    }

    /// The page that shows why a change was refused: the page of the change, with the problem above it.
    private func failed(_ error: BusError, _ request: APIRequest) async -> APIResponse {
        let problem = Problem(error, next: Errors.nextInBrowser(after: error, isChange: request.method == .post))
        var page = ConsolePage(title: problem.title, template: nil)
        if request.method == .post, let shown = try? await self.page(request.asRead) { page = shown }
        if page.tabs.isEmpty {
            await page.frame(
                by: ConsoleReader(bus: bus, sender: request.sender, now: Date()),
                hasLogin: hasLogin,
                hasFleet: fleet != nil
            )
        }
        (page.problem, page.watch, page.events) = (problem, nil, nil)
        return page.response()
    }

    // MARK: Changes

    private func change(_ request: APIRequest) async throws(BusError) -> APIResponse? {
        let path = request.path
        if path == ["fleet"], let fleet {
            return try await FleetPage(fleet: fleet, sender: request.sender, now: Date()).evaluate(try Form(request))
        }
        guard
            path.count == 2 && ["gates", "runs", "pipelines"].contains(path[0]) || path == ["attention"]
                || path == ["monitors"]
        else { return nil }
        let changes = ConsoleChanges(bus: bus, sender: request.sender, form: try Form(request))
        return switch path[0] {
        case "gates": try await changes.decide(Name(path[1]))
        case "runs": try await changes.steer(Name(path[1]))
        case "pipelines": try await changes.start(Name(path[1]))
        case "attention": try await changes.steerMany()
        default: try await changes.evaluate()
        }
    }
}

/// What a page says about the change that led to it.
struct Notice: Sendable {
    let text: String
    let tone: String

    /// The notices by the words that an address can have; an address cannot bring a text of its own.
    static let all: [String: Notice] = [
        "delivered": Notice(
            text: "Decided: your decision has reached the run or process that waited for it.",
            tone: "good"
        ),
        "counted": Notice(text: "Your vote counts. The gate waits for more votes.", tone: "good"),
        "buffered": Notice(text: "Nothing waits for the decision yet; the worker keeps it for 24 hours.", tone: "good"),
        "duplicate": Notice(text: "The same decision came earlier; nothing has changed.", tone: ""),
        "withdrawn": Notice(text: "Your vote is taken back.", tone: "good"),
        "nothing": Notice(text: "There was no vote of yours to take back.", tone: ""),
        "decided": Notice(text: "The gate is decided already, so your vote cannot be taken back.", tone: ""),
        "cancelled": Notice(text: "The worker has accepted the cancellation.", tone: "good"),
        "ended": Notice(text: "The run had ended before, so it was not cancelled.", tone: ""),
        "redriven": Notice(text: "The run continues at the action where it stopped.", tone: "good"),
        "done": Notice(text: "The worker has accepted the change of each chosen run.", tone: "good"),
        "started": Notice(text: "The worker has accepted the run.", tone: "good"),
        "notified": Notice(text: "All workers that answer have got the notification.", tone: "good"),
        "evaluated": Notice(
            text: "The worker has accepted the notification for the monitors that follow the topic.",
            tone: "good"
        ),
    ]
}

extension APIRequest {
    /// The request for the page from which a form was posted.
    fileprivate var asRead: APIRequest {
        return APIRequest(method: .get, path: path, query: [], fields: fields, body: [], sender: sender)
    }
}
