/// The rules of a request, from its verb: everything apart from its frames.
package struct VerbRules: VerbView, Sendable {
    /// The word of its frame 0.
    package let word: String
    /// The right that its sender needs; nil if everybody may send it.
    package let right: Right?
    /// The target that the right must cover; nil if it depends on the owner of a run.
    package let target: String?
    /// Whether the worker remembers its effect under the id, so that the same request takes effect once.
    package let isLedgered: Bool
    /// The attributes that are content; nil if there are none.
    package let content: VerbContent?
    /// Which of its answers is the last one.
    package let lastAnswer: LastAnswer
    /// Whether its first answer comes immediately.
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
    /// The rules of the request.
    package var rules: VerbRules { view() }

    /// Whether the worker remembers its effect under the id, so that the same request takes effect once.
    package var isLedgered: Bool { rules.isLedgered }

    /// Whether its first answer comes immediately; until then the request counts as outstanding.
    package var isAnsweredAtOnce: Bool { rules.isAnsweredAtOnce }
}
