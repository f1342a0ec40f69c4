import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// The URL of a `post:`, whose path and query may have placeholders.
///
/// The scheme, the host and the port are fixed, so that no value of a run decides which machine gets the request.
struct PostURL: Sendable {
    /// The scheme, the host and the port: `https://example.org:8443`.
    let origin: String
    /// The path and the query.
    let target: MessageTemplate

    /// Reads a URL; nil after recording the problem.
    init?(_ entry: Entry, _ role: ActionDefinition.Role) {
        guard let text = entry.text("the URL of an HTTP server") else { return nil }
        let found = "found \(Printable.quoted(text))"
        guard let match = text.wholeMatch(of: #/(https?://[^/?#]*)([/?][^#]*)?/#) else {
            entry.note(
                .badValue,
                "Expected a URL that begins with http:// or https:// and has no fragment, \(found).",
                next: "Write a URL such as https://example.org/hook."
            )
            return nil
        }
        let origin = String(match.output.1)
        guard !origin.contains("{") else {
            entry.note(
                .badValue,
                "The scheme, the host and the port of the URL cannot have placeholders; \(found).",
                next: "Write the host itself: a value of a run must not decide which machine gets the request."
            )
            return nil
        }
        guard Self.isValid(origin) else {
            entry.note(
                .badValue,
                "Expected a URL with a host, and a port from 1 to 65535 if it has one, without a user name, \(found).",
                next: "Write a URL such as https://example.org:8443/hook."
            )
            return nil
        }
        let rest = match.output.2.map(String.init) ?? "/"
        do throws(BusError) {
            target = try MessageTemplate(rest.hasPrefix("?") ? "/" + rest : rest)
        } catch {
            entry.note(.badValue, error.message, next: error.next)
            return nil
        }
        if role == .monitor, target.hasPlaces {
            entry.note(
                .badValue,
                "The URL of a monitor's action cannot have placeholders; \(found).",
                next: "Send the values in the body, below `send`."
            )
            return nil
        }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\"") })
        else {
            entry.note(
                .badValue,
                "A URL has only ASCII characters, and no spaces, backslashes or quotation marks; \(found).",
                next: "Percent-encode the other characters: a space is %20."
            )
            return nil
        }
        self.origin = origin
    }

    private static func isValid(_ origin: String) -> Bool {
        guard let match = origin.wholeMatch(of: #/https?://([A-Za-z0-9._\-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?/#)
        else { return false }
        return match.output.2.map { (1...65_535).contains(Int($0) ?? 0) } ?? true
    }

    /// The URL for a run: each value is percent-encoded, so that it adds no part to the path or the query.
    ///
    /// - Returns: The URL; nil if a value makes a part of the path empty, `.` or `..`, which would be another path.
    func text(in context: PipelineContext) -> String? {
        let text = target.text(in: context) { context.masked($0).asURLPart }
        let plain = target.text(in: context) { _ in "x" }
        func parts(_ text: String) -> [Substring] {
            text.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        }
        let isSame = zip(parts(text), parts(plain)).allSatisfy { $0 == $1 || !["", ".", ".."].contains($0) }
        return isSame ? origin + text : nil
    }

    /// The URL of a monitor's action, which has no placeholders.
    var text: String { origin + target.text(in: PipelineContext()) { $0 } }
}

extension String {
    /// The text, percent-encoded: every byte is encoded except A-Z a-z 0-9 - _ and ~.
    fileprivate var asURLPart: String {
        utf8.map { byte in
            let isUnreserved =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || "-_~.".utf8.contains(byte)
            guard !isUnreserved else { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "%0\(digits)" : "%\(digits)"
        }.joined()
    }
}
