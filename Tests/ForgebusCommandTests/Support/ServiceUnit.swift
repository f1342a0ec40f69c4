import Testing

/// `deploy/forgebus.service`.
struct ServiceUnit {
    static let path = "deploy/forgebus.service"
    private let settings: [(key: String, value: String)]

    init() throws {
        settings = try DeployFiles.text(Self.path).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }
    }

    /// The one value of a key.
    func value(_ key: String) throws -> String {
        let values = values(key)
        try #require(values.count == 1, "\(key): \(values)")
        return values[0]
    }

    func values(_ key: String) -> [String] { settings.filter { $0.key == key }.map(\.value) }
}
