/// Where a worker stores its state.
public enum StoreSetting: Hashable, Sendable {
    /// In memory: the state is lost when the worker ends.
    case memory
    /// In a file with this path.
    case file(String)

    /// Parses `text`: the word `memory`, or the path of a file, relative to `directory` if it is not absolute.
    init(_ text: String, in directory: String) {
        if text == "memory" {
            self = .memory
        } else {
            self = .file(text.hasPrefix("/") ? text : "\(directory)/\(text)")
        }
    }
}
