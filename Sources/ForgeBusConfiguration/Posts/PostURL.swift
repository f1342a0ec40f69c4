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
                next: "Write a URL such as https://example.org/hook"
                    + (text.contains("#") ? ", without the # and the text after it." : ".")
            )
            return nil
        }
        let origin = String(match.output.1)
        guard !origin.contains("{") else {
            entry.note(
                .badValue,
                "The scheme, the host and the port of the URL cannot have placeholders; \(found).",
                next: "Write these parts without placeholders: a value of a run must not decide which machine gets the "
                    + "request."
            )
            return nil
        }
        if let flaw = Self.flaw(of: origin, found) {
            entry.note(.badValue, flaw.cause, next: flaw.next)
            return nil
        }
        let rest = match.output.2.map(String.init) ?? "/"
        let place = rest.hasPrefix("?") ? "/" + rest : rest
        guard place.utf8.count <= MessageTemplate.maximumSizeInBytes else {
            entry.note(
                .badValue,
                "The path and the query of the URL have \(place.utf8.count) bytes; at most "
                    + "\(MessageTemplate.maximumSizeInBytes) are allowed.",
                next: "Write a shorter URL; the body can carry values, too, below `send`."
            )
            return nil
        }
        do throws(BusError) {
            target = try MessageTemplate(place)
        } catch {
            let next = "The URL of a monitor's action has no placeholders; send the values in the body, below `send`."
            entry.note(.badValue, error.message, next: role == .monitor ? next : error.next)
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

    /// The reason why the host or the port is not valid, with the next move; nil if both are valid.
    ///
    /// A user name may come with a password, so that message does not show the URL.
    private static func flaw(of origin: String, _ found: String) -> (cause: String, next: String)? {
        if origin.contains("@") {
            return (
                "The URL of a post cannot have a user name or a password.",
                "Remove the user name, the password and the @. If the server needs a secret, sign the post with "
                    + "`secret_file`; or, in a pipeline, declare a seed with `secret: true`, and list it under the "
                    + "action's key `send`."
            )
        }
        guard let match = origin.wholeMatch(of: #/https?://([A-Za-z0-9._\-]+|\[[0-9A-Fa-f:.]+\])(?::(.*))?/#) else {
            return (
                "Expected a URL with a host of the characters A-Z a-z 0-9 - _ and dots, \(found).",
                "Write a URL such as https://example.org/hook. Write a host name with other letters in its ASCII form, "
                    + "which begins with xn--, and an IPv6 address in brackets, as in http://[::1]/hook."
            )
        }
        guard let port = match.output.2 else { return nil }
        if port.wholeMatch(of: #/[0-9]{1,5}/#) != nil, (1...65_535).contains(Int(port) ?? 0) { return nil }
        return (
            "Expected a URL with a port from 1 to 65535 or without a port, \(found).",
            "Write a URL such as https://example.org:8443/hook; an IPv6 address is in brackets, as in "
                + "http://[::1]/hook."
        )
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
