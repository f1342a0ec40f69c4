public import ForgeBusFleet

public import class Foundation.ProcessInfo

extension Inventory {
    /// Reads the inventory in the file at `path`, and runs the commands that the file includes.
    ///
    /// <doc:TheFleetFile> describes the format. No command runs before the file itself is correct; then all of them run
    /// together. A command that fails is an error, so the inventory never has fewer workers than it should.
    ///
    /// ```swift
    /// let inventory = try await Inventory(path: "fleet.yaml")
    /// let webServers = try inventory.workers(on: Selection(parsing: "role=web"))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file, at most 2 MiB of UTF-8. Only its owner may write it, and the owner must be root or the user
    ///     that reads it. Paths in the file are relative to the file's directory, in which the commands run.
    ///   - environment: The environment of the commands.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains all others. The
    ///   code is `untrusted` for a file that other users may write.
    public init(
        path: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(ConfigurationError) {
        let source = try SourceFile(
            contentsOf: path,
            atMost: SourceFile.maximumInventorySizeInBytes,
            mustBeOurs: true
        )
        try await self.init(source, environment)
    }

    /// Reads an inventory from a text instead of a file.
    ///
    /// - Parameters:
    ///   - yaml: The text, at most 2 MiB.
    ///   - name: The file's name in errors.
    ///   - directory: The directory in which the commands run, and to which relative paths in the text refer.
    ///   - environment: The environment of the commands.
    /// - Throws: ``ConfigurationError`` for the first problem; ``ConfigurationError/others`` contains all others.
    public init(
        yaml: String,
        name: String,
        directory: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(ConfigurationError) {
        let limit = SourceFile.maximumInventorySizeInBytes
        try await self.init(SourceFile(yaml, name: name, directory: directory, atMost: limit), environment)
    }

    private init(_ source: SourceFile, _ environment: [String: String]) async throws(ConfigurationError) {
        var definition = FleetDefinition(source)
        try await definition.include(environment)
        self = try definition.inventory()
    }
}
