import ForgeBusProtocol

/// Guesses which key the author of a file meant by an unknown key.
enum KeyGuess {
    /// Keys of other programs' files, with the keys that mean the same in files of this program.
    private static let meant: [String: [String]] = [
        "after": ["requires"], "approvers": ["allowed"], "args": ["run"], "attempts": ["retry"], "cmd": ["run"],
        "command": ["run"], "condition": ["when"], "delay": ["backoff_ms"], "depends_on": ["requires"],
        "environment": ["env"], "every": ["interval_ms"], "exec": ["run"], "expires": ["deadline_ms"], "if": ["when"],
        "inputs": ["seeds"], "jobs": ["actions"], "max_attempts": ["attempts"], "needs": ["requires"],
        "parameters": ["seeds"], "program": ["run"], "quorum": ["approvals"], "reviewers": ["allowed"],
        "retries": ["retry", "attempts"], "schedule": ["interval_ms"], "script": ["run"], "steps": ["actions"],
        "tasks": ["actions"], "users": ["allowed", "principals"],
    ]

    /// The known key for a word, or nil.
    static func guess(_ word: String, among known: [String]) -> String? {
        let plain = word.lowercased().replacing("-", with: "_")
        if known.contains(plain) { return plain }
        if let measured = known.first(where: { $0.hasSuffix("_ms") && $0.dropLast("_ms".count) == plain }) {
            return measured
        }
        if let key = meant[plain]?.first(where: known.contains) { return key }
        return Spelling.guess(word, among: known)
    }
}
