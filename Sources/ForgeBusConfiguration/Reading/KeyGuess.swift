import ForgeBusProtocol

/// Guesses which key the author of a file meant by an unknown key.
enum KeyGuess {
    /// Words that files of other programs use as keys, each with the keys of this program that mean the same.
    private static let meant: [String: [String]] = [
        "address": ["endpoint"], "after": ["requires"], "approvers": ["allowed"], "args": ["run"],
        "attempts": ["retry"],
        "cmd": ["run", "command"], "command": ["run"], "condition": ["when"], "delay": ["backoff"],
        "depends_on": ["requires"], "environment": ["env"], "every": ["interval"], "exec": ["run", "command"],
        "expires": ["deadline"], "hosts": ["workers"], "if": ["when"], "inputs": ["seeds"], "jobs": ["actions"],
        "max_attempts": ["attempts"], "needs": ["requires"], "parameters": ["seeds"], "program": ["run", "command"],
        "public_key": ["key"], "quorum": ["approvals"], "reviewers": ["allowed"], "retries": ["retry", "attempts"],
        "run": ["command"], "schedule": ["interval"], "script": ["run", "command"], "server_key": ["key"],
        "steps": ["actions"], "tags": ["labels"], "tasks": ["actions"], "users": ["allowed", "principals"],
    ]

    /// The key in `known` that the author probably meant by `word`; nil if no key is similar enough.
    static func guess(_ word: String, among known: [String]) -> String? {
        let plain = word.lowercased().replacing("-", with: "_")
        if known.contains(plain) { return plain }
        // A value has its unit, and no key has one.
        for unit in ["_ms", "_s", "_seconds", "_bytes"] where plain.hasSuffix(unit) {
            let bare = String(plain.dropLast(unit.count))
            if let key = [bare + "_size", bare].first(where: known.contains) { return key }
        }
        // The plural of a key, or the singular.
        if let counted = known.first(where: { $0 == plain + "s" || $0 + "s" == plain }) { return counted }
        if let key = meant[plain]?.first(where: known.contains) { return key }
        return Spelling.guess(word, among: known)
    }
}
