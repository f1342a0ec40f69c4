import ForgeBusProtocol

/// The variables that a file adds to the environment of a command.
enum EnvironmentList {
    /// Reads the valid variables, and records every problem; nil if the value is not a mapping.
    static func variables(_ entry: Entry) -> [String: String]? {
        guard let members = entry.members("a mapping of variables, such as {STAGE: production}") else { return nil }
        var variables: [String: String] = [:]
        for member in members {
            if let flaw = flaw(in: member.name) {
                entry.problems.add(flaw, at: member.position, key: member.entry.key)
                continue
            }
            let next = "Write a text; for an empty one, write two quotation marks."
            variables[member.name] = member.entry.text("a text as the value of the variable", next: next)
        }
        return variables
    }

    private static func flaw(in name: String) -> ConfigurationError? {
        let isName = name.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
        }
        guard isName, let first = name.utf8.first, !(0x30...0x39).contains(first) else {
            return Errors.notVariable(name)
        }
        return name.hasPrefix("FORGE_") ? Errors.reservedVariable(name) : nil
    }
}
