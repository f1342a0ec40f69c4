import ForgeBusProtocol
import ForgeOrchestrator

/// Replaces the values of a run's secret seeds in everything that leaves the run: reasons, messages and outputs.
///
/// The mask finds a value as it was sent and in every spelling of JSON (see ``SecretSearch``), but not in another form
/// such as Base64.
struct SecretMask: Sendable {
    /// The text in place of a secret.
    static let mark = "[secret]"

    private let search: SecretSearch
    /// The keys of the secret seeds.
    let keys: Set<String>

    /// Makes the mask for these seeds; nil if no secret seed has a value.
    init?(_ seeds: [Seed], _ values: [String: any Sendable]) {
        let secrets = Set(seeds.lazy.filter(\.isSecret).compactMap { values[$0.key] as? String })
        if secrets.isEmpty { return nil }
        search = SecretSearch(secrets)
        keys = Set(seeds.lazy.filter(\.isSecret).map(\.key))
    }

    /// Returns the text with ``mark`` in place of each secret, and of secrets that touch each other.
    ///
    /// If the text was cut, it may begin or end with a part of a secret. The mark replaces this part, too, unless the
    /// part is shorter than ``Seed/secretLength`` characters. A text that was cut may end in a `…`.
    func masked(_ text: String) -> String {
        if text.hasSuffix("…") { return masked(String(text.dropLast())) + "…" }
        return replacing(search.ranges(in: text), in: text)
    }

    private func replacing(_ ranges: [Range<Int>], in text: String) -> String {
        if ranges.isEmpty { return text }
        let units = Array(text.utf16)
        var result = ""
        var rest = 0
        for range in ranges {
            result += String(decoding: units[rest..<range.lowerBound], as: UTF16.self) + Self.mark
            rest = range.upperBound
        }
        return result + String(decoding: units[rest...], as: UTF16.self)
    }

    /// The value without secrets in its texts, keys and numbers.
    func masked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool: value
        // A number is never cut, so a part of a secret is only a number.
        case .integer, .number:
            search.ranges(in: value.description, mayBeCut: false).isEmpty ? value : .string(Self.mark)
        case .string(let text): .string(masked(text))
        case .array(let values): .array(values.map(masked))
        case .object(let object): .object(masked(object))
        }
    }

    /// The object without secrets in its texts and keys.
    func masked(_ object: JSONObject) -> JSONObject {
        var result = JSONObject()
        for entry in object.entries { result[masked(entry.key)] = masked(entry.value) }
        return result
    }

    /// The report without secrets in its reason.
    func masked(_ report: ActionReport) -> ActionReport {
        guard case .failed(let reason) = report.result else { return report }
        return ActionReport(
            id: report.id,
            result: .failed(masked(reason)),
            start: report.start,
            duration: report.duration
        )
    }

    /// The suspension without secrets in its reason or message.
    func masked(_ kind: RunRest.Kind) -> RunRest.Kind {
        switch kind {
        case .gate(let signal, let rule, let deadline, let message):
            .gate(signal, rule: rule, deadline: deadline, message: message.map(masked))
        case .failed(let reason): .failed(reason: masked(reason))
        // `RequestAction.order(in:)` masks every value except those of secret seeds, which go only into secret seeds.
        case .request: kind
        }
    }
}

extension PipelineContext {
    /// A text about the run without the values of its secret seeds, for a log.
    package func masked(_ text: String) -> String { runHost?.mask?.masked(text) ?? text }

    /// Whether a secret seed of the run has a value.
    package var hasSecrets: Bool { runHost?.mask != nil }
}
