import ArgumentParser
import ForgeBusProtocol

extension Errors {
    static func unknownContext(_ name: String, _ known: [String], _ path: String) -> ValidationError {
        let guess = Spelling.guess(name, among: known).map { " Did you mean \(Printable.quoted($0))?" } ?? ""
        let names = known.isEmpty ? "there is none" : "there are \(known.joined(separator: ", "))"
        return ValidationError(
            "No context is named \(Printable.quoted(name)); \(names).\(guess) To add one, type: "
                + "forgebus context add NAME -e ENDPOINT. They are in \(Printable.quoted(path))."
        )
    }

    static func contextExists(_ name: String) -> ValidationError {
        ValidationError(
            "There is a context \(Printable.quoted(name)) already. Choose another name, or remove it first: "
                + "forgebus context remove \(name)"
        )
    }

    static func contextInUse(_ name: String) -> ValidationError {
        ValidationError(
            "\(Printable.quoted(name)) is the current context; without it, commands would go to another worker. Choose "
                + "another one first: forgebus context use NAME"
        )
    }

    static func overriddenContext(_ variable: String, _ value: String) -> String {
        "\(variable) is set, so commands go to \(Printable.quoted(value)) instead."
    }

    static func unreadableContexts(_ path: String) -> ValidationError {
        ValidationError(
            "The file \(Printable.quoted(path)) cannot be read, or is not what `forgebus context` writes. Mend it, or "
                + "move it away and add the contexts again."
        )
    }

    static func unwrittenContexts(_ path: String) -> ValidationError {
        ValidationError(
            "The file \(Printable.quoted(path)) cannot be written, so nothing has changed. Check that its directory can "
                + "be written, and that the disk has room."
        )
    }

    static let contextAndEndpoint = ValidationError("Give --context or --endpoint, not both.")
}
