import ArgumentParser
import ForgeBusProtocol
import Foundation

/// The workers that this user has named, and which of them commands talk to.
///
/// They are one JSON object in `forgebus/contexts.json` in `$XDG_CONFIG_HOME`, or in `~/.config` without that variable.
struct Contexts {
    /// Where a worker is, and the keys with which this user reaches it.
    struct Context: Hashable {
        var endpoint: String
        var serverKey: String?
        var certificate: String?

        /// The context's values, as the variables for which it stands; one that it lacks is empty.
        var variables: [String: String] {
            [
                "FORGEBUS_ENDPOINT": endpoint, "FORGEBUS_SERVER_KEY": serverKey ?? "",
                "FORGEBUS_CERTIFICATE": certificate ?? "",
            ]
        }
    }

    private(set) var all: [String: Context] = [:]
    /// The context of commands that name none; nil if no context was chosen.
    private(set) var current: String?
    private let path: String

    /// Reads the contexts; without the file there are none.
    ///
    /// - Throws: A `ValidationError` if the file cannot be read.
    init(_ environment: [String: String]) throws {
        let home = environment.named("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        path = (home ?? "\(NSHomeDirectory())/.config") + "/forgebus/contexts.json"
        guard FileManager.default.fileExists(atPath: path) else { return }
        guard let data = FileManager.default.contents(atPath: path),
            let file = (try? JSONValue(parsing: Array(data)[...]))?.object, let listed = file["contexts"]?.object
        else { throw Errors.unreadableContexts(path) }
        for entry in listed.entries {
            guard let object = entry.value.object, let endpoint = object["endpoint"]?.string else {
                throw Errors.unreadableContexts(path)
            }
            all[entry.key] = Context(
                endpoint: endpoint,
                serverKey: object["server_key"]?.string,
                certificate: object["certificate"]?.string
            )
        }
        current = file["current"]?.string
    }

    /// The context of this name.
    ///
    /// - Throws: A `ValidationError` if there is none.
    func context(_ name: String) throws -> Context {
        guard let context = all[name] else { throw Errors.unknownContext(name, all.keys.sorted(), path) }
        return context
    }

    /// Adds a context; it becomes the current one if none is.
    ///
    /// - Throws: A `ValidationError` if there is one of this name, or if the file cannot be written.
    mutating func add(_ name: String, _ context: Context) throws {
        guard all[name] == nil else { throw Errors.contextExists(name) }
        current = current ?? name
        all[name] = context
        try write()
    }

    /// Makes a context the current one.
    ///
    /// - Throws: A `ValidationError` if there is none of this name, or if the file cannot be written.
    mutating func use(_ name: String) throws {
        _ = try context(name)
        current = name
        try write()
    }

    /// Removes a context.
    ///
    /// - Throws: A `ValidationError` if there is none of this name, if it is the current one of several, because commands
    ///   would then go elsewhere, or if the file cannot be written.
    mutating func remove(_ name: String) throws {
        _ = try context(name)
        guard name != current || all.count == 1 else { throw Errors.contextInUse(name) }
        all[name] = nil
        if current == name { current = nil }
        try write()
    }

    private func write() throws {
        var listed: JSONObject = [:]
        for (name, context) in all.sorted(by: { $0.key < $1.key }) {
            var object: JSONObject = ["endpoint": .string(context.endpoint)]
            object["server_key"] = context.serverKey.map { .string($0) }
            object["certificate"] = context.certificate.map { .string($0) }
            listed[name] = .object(object)
        }
        var file: JSONObject = [:]
        file["current"] = current.map { .string($0) }
        file["contexts"] = .object(listed)
        let (directory, files) = ((path as NSString).deletingLastPathComponent, FileManager.default)
        do {
            try files.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try Data(JSONValue.object(file).encoded + [0x0A]).write(to: URL(filePath: path), options: .atomic)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw Errors.unwrittenContexts(path)
        }
    }
}
