/// Where a worker keeps what must survive it.
public enum StoreSetting: Hashable, Sendable {
    /// Nowhere: all is forgotten when the worker ends.
    case memory
    /// In a file of this path.
    case file(String)

    /// What `text` says: the word `memory`, or the path of a file, relative to `directory` if it is not absolute.
    init(_ text: String, in directory: String) {
        if text == "memory" {
            self = .memory
        } else {
            self = .file(text.hasPrefix("/") ? text : "\(directory)/\(text)")
        }
    }
}
