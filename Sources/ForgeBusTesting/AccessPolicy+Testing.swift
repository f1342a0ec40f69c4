public import ForgeBusProtocol
public import ForgeBusWorker

extension AccessPolicy.Member {
    /// A principal for a test, who has no key: requests to a ``TestWorker`` name it.
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
    ///   - name: What it is called.
    ///   - rights: On what it has which right.
    public init(_ name: Name, may rights: [Right: [NamePattern]]) {
        let grants = rights.mapValues { AccessPolicy.Grant(allow: $0) }
        self.init(name, keys: [], grants: AccessPolicy.Grants(grants))
    }
}
