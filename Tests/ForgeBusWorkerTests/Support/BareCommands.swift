import ForgeBusProtocol

extension Request.Command {
    /// The commands that name nothing, need no right, and say all with their word, as HELLO does.
    static let bare = words.compactMap { word -> Request.Command? in
        let frames = Frames(command: Array("FORGE/1 \(word)".utf8)[...], id: Array("id".utf8)[...])
        guard let command = try? Request(decoding: frames).command, command != .unwatch else { return nil }
        return command.rules.right == nil ? command : nil
    }
}
