import HTTPTypes
import Mustache

/// The console's templates and files, which are part of the program.
enum Assets {
    /// The files that pages load, by their names below `/assets/`.
    static let files: [String: (bytes: [UInt8], type: String)] = [
        "console.css": (PackageResources.console_css, "text/css; charset=utf-8"),
        "console.js": (PackageResources.console_js, "text/javascript; charset=utf-8"),
        "icon.svg": (PackageResources.icon_svg, "image/svg+xml"),
    ]

    /// A file that pages load, which is the same for everybody; nil for any other path.
    static func answer(_ path: [String], _ method: HTTPRequest.Method) -> APIResponse? {
        guard method == .get || method == .head, path.count == 2, path[0] == "assets", let file = files[path[1]] else {
            return nil
        }
        var answer = APIResponse(.ok)
        answer.body = .bytes(file.bytes, type: file.type)
        return answer
    }

    private static let sources: [String: [UInt8]] = [
        "layout": PackageResources.layout_mustache, "login": PackageResources.login_mustache,
        "waiting": PackageResources.waiting_mustache, "gate": PackageResources.gate_mustache,
        "gatepage": PackageResources.gatepage_mustache, "history": PackageResources.history_mustache,
        "runs": PackageResources.runs_mustache, "run": PackageResources.run_mustache,
        "attention": PackageResources.attention_mustache, "monitors": PackageResources.monitors_mustache,
        "pipelines": PackageResources.pipelines_mustache, "fleet": PackageResources.fleet_mustache,
    ]

    /// Escapes code points, because browsers read code points.
    ///
    /// The library's own escape compares characters, and does not escape a quotation mark that an accent follows.
    private struct PageText: MustacheContentType {
        func escapeText(_ text: String) -> String { text.escaped }
    }

    /// The compiled templates; a template of the program that does not compile is a defect, which a test finds.
    static let library: MustacheLibrary = {
        MustacheContentTypes.register(PageText(), named: "PAGE")
        return MustacheLibrary(
            templates: sources.compactMapValues { source in
                try? MustacheTemplate(string: "{{% CONTENT_TYPE: PAGE}}" + String(decoding: source, as: UTF8.self))
            }
        )
    }()

    /// The names of the templates that do not compile.
    static var flawed: [String] { sources.keys.filter { library.getTemplate(named: $0) == nil } }
}
