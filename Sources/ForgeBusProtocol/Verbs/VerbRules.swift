/// Everything that a verb defines for a request, except the content of the frames.
package struct VerbRules: VerbView, Sendable {
    /// The request's word in frame 0.
    package let word: String
    /// The right that the sender needs; nil if everybody may send the request.
    package let right: Right?
    /// The name or pattern that the sender's grant of ``right`` must cover; nil if it depends on a run.
    package let target: String?
    /// Whether the worker remembers the request's effect under its id, so that a resend has no second effect.
    package let isLedgered: Bool
    /// Whether copies of the request must not be sent to different stores.
    package let isTiedToStore: Bool
    /// The attributes that are part of the request's content, beside its subject and its body; nil if there are none.
    package let content: VerbContent?
    /// Which answer to the request is the last one.
    package let lastAnswer: LastAnswer
    /// Whether the first answer comes immediately; if not, the request never counts as outstanding.
    package let isAnsweredAtOnce: Bool

    package init<V: Verb>(_ verb: V) {
        word = verb.word
        right = V.right
        target = verb.target
        isLedgered = V.isLedgered
        isTiedToStore = V.isTiedToStore
        content = verb.content
        lastAnswer = verb.lastAnswer
        isAnsweredAtOnce = verb.isAnsweredAtOnce
    }
}

extension Request.Command {
    /// The rules of the request.
    package var rules: VerbRules { view() }

    /// Whether the worker remembers the request's effect under its id, so that a resend has no second effect.
    package var isLedgered: Bool { rules.isLedgered }

    /// Whether copies of the request must not be sent to different stores.
    package var isTiedToStore: Bool { rules.isTiedToStore }

    /// Whether the first answer comes immediately; if not, the request never counts as outstanding.
    package var isAnsweredAtOnce: Bool { rules.isAnsweredAtOnce }
}
