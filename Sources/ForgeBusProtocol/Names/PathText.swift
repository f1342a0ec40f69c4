/// Splits and joins paths as texts, without reading the disk.
///
/// Foundation's functions do not work for every text: `deletingLastPathComponent` ends the process for `w`, `.` or
/// `a//`, and `URL(fileURLWithPath:)` replaces `~` with a home directory.
package enum PathText {
    private static let slash = UInt8(ascii: "/")

    /// Splits a path into its directory and its name.
    ///
    /// The path `w` gives the directory `.` and the name `w`. The path `/` gives the directory `/` and an empty name.
    package static func parts(of path: String) -> (directory: String, name: String) {
        let whole = trimmed(Array(path.utf8)[...])
        guard let end = whole.lastIndex(of: slash) else { return (".", String(decoding: whole, as: UTF8.self)) }
        // If the last slash is the first character, the directory is `/`.
        let directory = end == whole.startIndex ? whole[...end] : trimmed(whole[..<end])
        return (String(decoding: directory, as: UTF8.self), String(decoding: whole[(end + 1)...], as: UTF8.self))
    }

    /// The absolute form of `path`, without empty components and `.`; a relative path starts in `directory`.
    ///
    /// A `..` stays, because its target depends on the disk.
    package static func absolute(_ path: String, in directory: String) -> String {
        let whole = path.utf8.first == slash ? path : "\(directory)/\(path)"
        let components = whole.utf8.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
        return "/" + components.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    /// Removes trailing slashes, except a slash that is the whole path.
    private static func trimmed(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = path.lastIndex(where: { $0 != slash }) else { return path.prefix(1) }
        return path[...last]
    }
}
