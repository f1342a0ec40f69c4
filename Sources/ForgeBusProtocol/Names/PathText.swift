/// Takes the text of a path apart, and puts it together; looks at no disk.
///
/// Foundation's functions are not for every text: `deletingLastPathComponent` ends the process for `w`, `.` or `a//`, and
/// `URL(fileURLWithPath:)` takes `~` for somebody's home.
package enum PathText {
    private static let slash = UInt8(ascii: "/")

    /// Where the last component lies and what it is called: `.` and `w` of `w`, `/` and an empty name of `/`.
    package static func parts(of path: String) -> (directory: String, name: String) {
        let whole = trimmed(Array(path.utf8)[...])
        guard let end = whole.lastIndex(of: slash) else { return (".", String(decoding: whole, as: UTF8.self)) }
        // A slash at the beginning is the directory itself.
        let directory = end == whole.startIndex ? whole[...end] : trimmed(whole[..<end])
        return (String(decoding: directory, as: UTF8.self), String(decoding: whole[(end + 1)...], as: UTF8.self))
    }

    /// What `path` is for somebody in `directory`, without components that say nothing.
    ///
    /// A `..` stays: where it leads is the disk's to say.
    package static func absolute(_ path: String, in directory: String) -> String {
        let whole = path.utf8.first == slash ? path : "\(directory)/\(path)"
        let components = whole.utf8.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
        return "/" + components.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    /// Without the slashes at the end, but for one that is all there is.
    private static func trimmed(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = path.lastIndex(where: { $0 != slash }) else { return path.prefix(1) }
        return path[...last]
    }
}
