/// What a request needs, and what is owed to it: what its verb says of the request apart from its frames.
package struct VerbRules: VerbView, Sendable {
    /// The word of its frame 0.
    package let word: String
    /// The right its sender needs; nil for what everybody may do.
    package let right: Right?
    /// What the right has to cover; nil where that depends on whose a run is.
    package let target: String?
    /// Whether the worker keeps what it did under the id, so that the same request has its effect once.
    package let isLedgered: Bool
    /// The attributes that are content; nil where there are none.
    package let content: VerbContent?
    /// Which of its answers is the last one.
    package let lastAnswer: LastAnswer
    /// Whether its first answer comes at once.
    package let isAnsweredAtOnce: Bool

    package init<V: Verb>(_ verb: V) {
        word = verb.word
        right = V.right
        target = verb.target
        isLedgered = V.isLedgered
        content = verb.content
        lastAnswer = verb.lastAnswer
        isAnsweredAtOnce = verb.isAnsweredAtOnce
    }
}

extension Request.Command {
    /// What the request needs, and what is owed to it.
    package var rules: VerbRules { view() }

    /// Whether the worker keeps what it did under the id, so that the same request has its effect once.
    package var isLedgered: Bool { rules.isLedgered }

    /// Whether its first answer comes at once, so that until then it counts as outstanding.
    package var isAnsweredAtOnce: Bool { rules.isAnsweredAtOnce }
}
