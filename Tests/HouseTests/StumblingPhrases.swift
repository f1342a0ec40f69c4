/// Phrases over which readers stumbled, in lower case, and the way out; none comes back.
enum StumblingPhrases {
    static let list: KeyValuePairs = [
        "whoever": "who it is: the sender, the requester, the approver, the owner",
        "what became of": "its outcome",
        "what becomes of": "its outcome",
        "gone on with": "continues, or resumes",
        "is none of": "is not one of",
        "where it is none": "nil, or no",
        "must be worth": "the minimum durability",
        "is told of": "gets, learns or receives",
        "as if nobody": "what happens",
        "on cue": "as the test scripts it",
        "what it came to": "its outcome",
        "takes the client's": "uses the client's",
        "takes the worker's": "uses the worker's",
        "what there is": "what it is, by its name",
        "so many seconds": "the interval",
        "has a pipeline run": "runs a pipeline",
        "stands for nobody": "is not registered",
    ]
}
