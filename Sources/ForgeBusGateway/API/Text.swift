import Foundation

extension StringProtocol {
    /// The text with every byte but `A-Z a-z 0-9 - . _ ~` as `%XX`.
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: CharacterSet.unreserved) ?? ""
    }
}

extension CharacterSet {
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

/// Reads the target of an HTTP request, `/PATH?QUERY`.
enum RequestTarget {
    /// The decoded segments of the path, and the decoded parameters of the query.
    ///
    /// In the query, `+` stands for a space.
    ///
    /// - Returns: nil for a target that does not begin with a slash, and for one with a malformed escape.
    static func read(_ target: String) -> (path: [String], query: [(name: String, value: String)])? {
        guard target.hasPrefix("/") else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for segment in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let text = segment.removingPercentEncoding else { return nil }
            path.append(text)
        }
        var query: [(name: String, value: String)] = []
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding }
            guard let name = sides[0], let value = sides.count > 1 ? sides[1] : "" else { return nil }
            query.append((name, value))
        }
        return (path, query)
    }
}
