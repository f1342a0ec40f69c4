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
        guard let match = text.wholeMatch(of: #/(https?://[^/?#]*)([/?][^#]*)?/#) else {
            entry.note(Errors.notURL(text))
            return nil
        }
        let origin = String(match.output.1)
        guard !origin.contains("{") else {
            entry.note(Errors.placeholderInOrigin(text))
            return nil
        }
        if let flaw = Self.flaw(of: origin, in: text) {
            entry.note(flaw)
            return nil
        }
        let rest = match.output.2.map(String.init) ?? "/"
        let place = rest.hasPrefix("?") ? "/" + rest : rest
        guard place.utf8.count <= MessageTemplate.maximumSizeInBytes else {
            entry.note(Errors.longPath(sizeInBytes: place.utf8.count, limit: MessageTemplate.maximumSizeInBytes))
            return nil
        }
        do throws(BusError) {
            target = try MessageTemplate(place)
        } catch {
            entry.note(role == .monitor ? Errors.badPathOfMonitor(error) : Errors.badValue(error))
            return nil
        }
        if role == .monitor, target.hasPlaces {
            entry.note(Errors.placeholderOfMonitor(text))
            return nil
        }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\"") })
        else {
            entry.note(Errors.characterInURL(text))
            return nil
        }
        self.origin = origin
    }

    /// The error about the host or the port; nil if both are valid.
    private static func flaw(of origin: String, in text: String) -> ConfigurationError? {
        if origin.contains("@") { return Errors.userInURL }
        guard let match = origin.wholeMatch(of: #/https?://([A-Za-z0-9._\-]+|\[[0-9A-Fa-f:.]+\])(?::(.*))?/#) else {
            return Errors.badHost(text)
        }
        guard let port = match.output.2 else { return nil }
        if port.wholeMatch(of: #/[0-9]{1,5}/#) != nil, (1...65_535).contains(Int(port) ?? 0) { return nil }
        return Errors.badPort(text)
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
