public import ForgeBusProtocol
public import ForgeBusWorker

extension AccessPolicy.Member {
    /// Makes a principal without keys, for tests: requests to a ``TestWorker`` pass its name.
    ///
    /// ```swift
    /// func policy() throws -> AccessPolicy {
    ///     try AccessPolicy([
    ///         AccessPolicy.Member("ci", may: [.run: ["deploy"]]),
    ///         AccessPolicy.Member("ada", may: [.complete: ["deploy.>"]]),
    ///     ])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the principal.
    ///   - rights: For each right, the patterns of the names that it covers.
    public init(_ name: Name, may rights: [Right: [NamePattern]]) {
        let grants = rights.mapValues { AccessPolicy.Grant(allow: $0) }
        self.init(name, keys: [], grants: AccessPolicy.Grants(grants))
    }
}
