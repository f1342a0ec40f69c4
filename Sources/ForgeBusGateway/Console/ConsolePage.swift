import ForgeBusProtocol
import HTTPTypes

/// A page of the console, before it becomes HTML.
struct ConsolePage {
    var title: String
    /// The name of the template of the content; nil for a page that has only a problem.
    var template: String?
    var data: [String: Any] = [:]
    /// The pattern of the events after which the page asks for its content again.
    var watch: String?
    /// The path of the events after which the page asks for its content again, in place of ``watch``.
    var events: String?
    var notice: Notice?
    var problem: Problem?
    private(set) var tabs: [[String: Any]] = []
    private var worker = ""
    private var principal = ""
    private var tab = ""

    init(title: String, template: String?, tab: String = "", data: [String: Any] = [:], watch: String? = nil) {
        (self.title, self.template, self.tab, self.data, self.watch) = (title, template, tab, data, watch)
    }

    /// Adds what every page shows: the worker's name, the pages with what waits there, and who is logged in.
    mutating func frame(by reader: ConsoleReader, hasLogin: Bool, hasFleet: Bool) async {
        worker = await reader.workerName
        principal = hasLogin ? reader.sender.principal?.text ?? "logged in" : ""
        let counts = await ["/": reader.waitingCount, "/attention": reader.parkedCount]
        let ofWorker = [
            ("/", "Waiting"), ("/runs", "Runs"), ("/attention", "Attention"), ("/monitors", "Monitors"),
            ("/pipelines", "Start"),
        ]
        let pages = (reader.bus is NoWorker ? [] : ofWorker) + (hasFleet ? [("/fleet", "Fleet")] : [])
        tabs = pages.map { path, label in
            var item: [String: Any] = ["path": path, "label": label]
            if path == tab { item["isCurrent"] = true }
            if let count = counts[path], count > 0 { item["count"] = "\(count)" }
            return item
        }
    }

    /// The page as an answer.
    func response() -> APIResponse {
        var layout: [String: Any] = ["title": title, "tabs": tabs, "hasNavigation": !tabs.isEmpty]
        layout["worker"] = worker.isEmpty ? nil : worker
        layout["principal"] = principal.isEmpty ? nil : principal
        layout["watch"] = events ?? watch.map { "/v1/events/\($0.percentEncoded)" }
        layout["notice"] = notice.map { ["text": $0.text, "tone": $0.tone] }
        layout["problem"] = problem.map { ["detail": $0.error.message, "next": $0.error.next] }
        layout["content"] = template.flatMap { Assets.library.render(data, withTemplate: $0) } ?? ""
        var answer = APIResponse(problem?.status ?? .ok, fields: problem?.fields ?? [:])
        let html = Assets.library.render(layout, withTemplate: "layout") ?? ""
        answer.body = .bytes(Array(html.utf8), type: "text/html; charset=utf-8")
        answer.fields[.contentSecurityPolicy] = Self.policy
        return answer
    }

    /// Pages load only what the gateway itself serves, and nobody may show them inside another page.
    private static let policy = [
        "default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'", "img-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
