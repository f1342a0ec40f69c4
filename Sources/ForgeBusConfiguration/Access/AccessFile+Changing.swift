package import ForgeBusProtocol
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// A change is read again as a whole before the file is replaced, so a file is never left with half a change.
extension AccessFile {
    /// Adds a principal to the file at `path`, in place.
    ///
    /// - Parameters:
    ///   - name: The name of the new principal.
    ///   - content: The lines of its entry, such as `keys: []`.
    ///   - groups: The groups to which it is added; one that is not there is made.
    ///   - path: The file, which keeps its comments, its owner and its permissions.
    /// - Returns: The file as it is then.
    /// - Throws: ``ConfigurationError`` if the file is bad, has the principal already, would be bad, or cannot be changed
    ///   in place or written; then it has not changed.
    package static func add(
        _ name: Name,
        _ content: [String],
        groups: [Name],
        to path: String
    ) throws(ConfigurationError) -> AccessFile {
        let lock = DirectoryLock(of: path)
        defer { lock.end() }
        let old = try AccessFile(contentsOf: path)
        guard !old.members.contains(where: { $0.name == name }) else { throw Errors.principalExists(name) }
        for group in groups where old.groups[group] == nil {
            if let guess = Spelling.guess(group.text, among: old.groups.keys.map(\.text).sorted()) {
                throw Errors.misspeltGroup(group, guess)
            }
        }
        var text = AccessText(old.text)
        text.add(name, content, groups: groups)
        let new = try read(text, path)
        var wanted = old.groups
        for group in groups { wanted[group, default: []].insert(name) }
        guard new.members.dropLast() == old.members[...], new.members.last?.name == name, new.groups == wanted,
            new.tokens.filter({ $0.principal != name }) == old.tokens
        else { throw Errors.unchangeable(path) }
        try replace(path, text.text)
        return new
    }

    /// Removes a principal from the file at `path`, in place, and from its groups.
    ///
    /// - Returns: The file as it is then.
    /// - Throws: ``ConfigurationError`` if the file is bad, does not have the principal, would be bad, or cannot be
    ///   changed in place or written; then it has not changed.
    package static func remove(_ name: Name, from path: String) throws(ConfigurationError) -> AccessFile {
        let lock = DirectoryLock(of: path)
        defer { lock.end() }
        let old = try AccessFile(contentsOf: path)
        guard old.members.contains(where: { $0.name == name }) else {
            throw Errors.unknownPrincipal(
                name.text,
                guess: Spelling.guess(name.text, among: old.members.map(\.name.text))
            )
        }
        if old.members.count == 1 { throw Errors.lastPrincipal(name) }
        if let group = old.groups.first(where: { $0.value == [name] })?.key { throw Errors.lastMember(name, group) }
        var text = AccessText(old.text)
        text.remove(name)
        let new = try read(text, path)
        guard new.members == old.members.filter({ $0.name != name }),
            new.groups == old.groups.mapValues({ $0.subtracting([name]) }),
            new.tokens == old.tokens.filter({ $0.principal != name })
        else { throw Errors.unchangeable(path) }
        try replace(path, text.text)
        return new
    }

    /// Reads the changed text; an error in it is one of the change, because the file itself is valid.
    private static func read(_ text: AccessText, _ path: String) throws(ConfigurationError) -> AccessFile {
        do throws(ConfigurationError) { return try AccessFile(yaml: text.text, name: path) } catch {
            throw error.code == .notYAML ? Errors.unchangeable(path) : Errors.refusedChange(error)
        }
    }

    /// Replaces the content of a file at once; a link stays, and the file to which it leads is replaced.
    private static func replace(_ path: String, _ text: String) throws(ConfigurationError) {
        let place = URL(filePath: path).resolvingSymlinksInPath().path
        let temporary = "\(place).\(UInt32.random(in: .min ... .max)).new"
        var information = stat()
        guard stat(place, &information) == 0 else { throw Errors.unwrittenAccess(path, errno) }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Errors.unwrittenAccess(path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            unlink(temporary)
            throw Errors.unwrittenAccess(path, EIO)
        }
        // Another owner than root or this user is refused when the file is read.
        if geteuid() == 0 { _ = fchown(descriptor, information.st_uid, information.st_gid) }
        guard fchmod(descriptor, information.st_mode & 0o7777) == 0, rename(temporary, place) == 0 else {
            let code = errno
            unlink(temporary)
            throw Errors.unwrittenAccess(path, code)
        }
    }
}

/// Keeps other processes from changing a file of the same directory meanwhile; the file itself is replaced.
private struct DirectoryLock {
    private let descriptor: Int32

    init(of path: String) {
        let directory = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { flock(descriptor, LOCK_EX) }
    }

    func end() { if descriptor >= 0 { close(descriptor) } }
}
