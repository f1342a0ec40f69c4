public import ForgeBusProtocol
package import ForgeOrchestrator

/// A template for a text with values of the run, such as `Deploy {seed.version} to production? Tests: {value.tests}`.
///
/// A gate shows such a text to those who decide. `{run.id}` stands for the run's id, `{seed.NAME}` for the run's seed of
/// that name, and `{value.NAME}` for the value under NAME in the run's context. The worker fills a gate's template when
/// the gate begins to wait. An empty text takes the place of a missing value, and a value that is not a text becomes JSON.
public struct MessageTemplate: Hashable, Sendable, ExpressibleByStringLiteral {
    package enum Part: Hashable, Sendable {
        case text(String)
        case run
        case seed(String)
        case value(String)
    }

    /// The most bytes of a filled message; a longer one is cut.
    public static let maximumSizeInBytes = 4_096

    /// The template as written.
    public let text: String
    private let parts: [Part]

    /// Whether the text has a placeholder.
    package var hasPlaces: Bool { parts.contains { if case .text = $0 { false } else { true } } }

    /// The part that is the whole template; nil if it has several.
    package var onlyPart: Part? {
        let parts = parts.filter { $0 != .text("") }
        return parts.count == 1 ? parts[0] : nil
    }

    /// Whether the template contains the run's id.
    package var namesRun: Bool { parts.contains(.run) }

    /// The names of the seeds that the template needs.
    package var seeds: [String] {
        parts.compactMap { if case .seed(let name) = $0 { name } else { nil } }
    }

    /// The names of the values of the context that the template needs, besides seeds.
    package var values: [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// Creates a template.
    ///
    /// Write `{{` for a brace that begins no placeholder.
    ///
    /// - Throws: `BusError` with code `bad_name` for an empty text, a text over ``maximumSizeInBytes``, or a
    ///   placeholder other than `{run.id}`, `{seed.NAME}` and `{value.NAME}`.
    public init(_ text: String) throws(BusError) {
        guard !text.isEmpty, text.utf8.count <= Self.maximumSizeInBytes else {
            throw Errors.badMessage(most: Self.maximumSizeInBytes, found: text.utf8.count)
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            parts.append(.text(String(rest[..<open])))
            rest = rest[rest.index(after: open)...]
            if rest.first == "{" {
                parts.append(.text("{"))
                rest = rest.dropFirst()
                continue
            }
            let end = rest.firstIndex(of: "}")
            parts.append(try Self.place(end.map { rest[..<$0] }, rest))
            rest = end.map { rest[rest.index(after: $0)...] } ?? ""
        }
        parts.append(.text(String(rest)))
        self.text = text
        self.parts = parts
    }

    /// Creates a template from a literal; an invalid literal ends the process with an error message.
    public init(stringLiteral text: String) {
        do { self = try MessageTemplate(text) } catch { fatalError(error.description) }
    }

    /// Parses the text between two braces as a placeholder.
    private static func place(_ place: Substring?, _ rest: Substring) throws(BusError) -> Part {
        if place == "run.id" { return .run }
        if let name = place?.name(after: "seed.") { return .seed(name) }
        if let name = place?.name(after: "value.") { return .value(name) }
        throw Errors.badPlaceInMessage(place, rest)
    }

    /// The message for a run, at most ``maximumSizeInBytes`` long.
    func filled(from context: PipelineContext) -> String {
        Printable.cut(text(in: context) { $0 }, to: Self.maximumSizeInBytes)
    }

    /// The title of the run `run`, whose context begins with `values`: one line, at most ``longestTitle`` bytes long, with
    /// one space where the text has any white space; nil if nothing is left.
    func title(of run: Name, with values: [String: any Sendable]) -> String? {
        let words = text(run.text, values) { $0 }.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : Printable.cut(words.joined(separator: " "), to: Self.longestTitle)
    }

    /// The text of a template without the run's id, for a run whose context begins with `values`.
    func text(with values: [String: any Sendable]) -> String { text("", values) { $0 } }

    /// The most bytes of a filled title; a longer one is cut.
    public static let longestTitle = 256

    /// The text for a run, of any length; each value is changed by `escape`.
    package func text(in context: PipelineContext, escape: (String) -> String) -> String {
        text(context.runID?.text ?? "", context.written, escape: escape)
    }

    private func text(_ run: String, _ values: [String: any Sendable], escape: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .run: escape(run)
            case .seed(let name), .value(let name): escape(Self.shown(values[name]))
            }
        }.joined()
    }

    private static func shown(_ value: (any Sendable)?) -> String {
        guard let value, let json = JSONValue(contextValue: value) else { return "" }
        return json.string ?? json.description
    }
}

extension Substring {
    /// The text after `prefix`; nil if the prefix is missing, or no text follows it.
    fileprivate func name(after prefix: String) -> String? {
        hasPrefix(prefix) && count > prefix.count ? String(dropFirst(prefix.count)) : nil
    }
}
