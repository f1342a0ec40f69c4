import ForgeBusProtocol

// Definitions that cannot work; most are the end of a sentence that names the pipeline.
extension Errors {
    /// An action requires another one that runs later or is not registered.
    static func cannotRequire(_ action: String, _ required: String, isRegistered: Bool) -> String {
        let cause =
            isRegistered
            ? "runs later; give \"\(required)\" a higher priority; if both have the same priority, register it "
                + "first"
            : "is not registered"
        return "the action \"\(action)\" requires \"\(required)\", which \(cause)"
    }

    /// A policy names an action that is not registered.
    static func policyOfNone(_ action: String, among actions: [String]) -> String {
        let question = Spelling.guess(action, among: actions).map { "; did you mean `\($0)`?" } ?? ""
        return "a policy is given for the action `\(action)`, which is not registered\(question)"
    }

    /// A secret seed is not a string.
    static func secretOfWrongType(_ key: String, type: String) -> String {
        "the secret seed `\(key)` is of type \(type), but only a string can be secret"
    }

    /// The default of a secret seed is too short, or not a string.
    static func badSecretDefault(_ key: String, least: Int) -> String {
        "the default of the secret seed `\(key)` is not a string of at least \(least) characters"
    }

    /// The id or the message of a gate shows a secret.
    static func secretInGate(_ gate: String, _ key: String) -> String {
        "the id or the message of the gate \"\(gate)\" contains the secret seed `\(key)`, which "
            + "everybody who may read the gate would see"
    }

    /// A gate must be distinct from one that may be decided later.
    static func notDecidedEarlier(_ other: String) -> String {
        "its `distinctFrom` lists `\(other)`, which must be decided earlier; add `\(other)` to what the "
            + "gate requires"
    }

    /// A sentence about a gate that needs more votes than principals may decide it.
    ///
    /// - Parameters:
    ///   - gate: The gate's action.
    ///   - pipeline: The gate's pipeline.
    ///   - need: How many votes of this kind the gate needs.
    ///   - vote: `approval` or `rejection`.
    ///   - count: How many principals may decide the gate.
    /// - Returns: The sentence.
    static func unreachable(
        _ gate: String,
        of pipeline: Name,
        needs need: Int,
        _ vote: String,
        able count: Int
    ) -> String {
        let able = count == 0 ? "no principal" : count == 1 ? "only 1 principal" : "only \(count) principals"
        let advice =
            count == 0
            ? "Give principals the right `complete` on the gate's id, or allow others in the gate's rule."
            : "Give more principals the right `complete`, allow more of them in the gate's rule, or require fewer "
                + "votes."
        return "The gate \"\(gate)\" of the pipeline \"\(pipeline)\" needs \(need) \(vote)\(need == 1 ? "" : "s"), but "
            + "\(able) of the access file may decide it. \(advice)"
    }

    /// A time of a gate's rule that a record cannot store; `what` names the time.
    static func badTime(_ what: String, _ time: Duration) -> String {
        "its time \(what) is \(time); it must be a whole number of ms, from 1 ms to 365 days"
    }

    /// A title names what a run does not have when it is accepted, or a secret.
    static func templateNames(_ place: String, in key: String, known: Bool) -> String {
        known
            ? "its `\(key)` names the secret `{\(place)}`"
            : "its `\(key)` names `{\(place)}`, which is no declared seed"
    }

    /// An exclusive key that is another one in each run.
    static let runInKey = "its `one_per` names `{run.id}`, so that each run would have another key"

    /// A gate escalates although everybody may decide it.
    static let escalatesToAll =
        "it escalates, but everybody may decide it from the beginning: `allowed` must say who may"

    /// The error for a gate that needs to tell senders apart, on a worker without keys.
    static func gateNeedsKeys(_ gate: String, of pipeline: Name) -> WorkerError {
        WorkerError(
            .definition,
            "The gate \"\(gate)\" of the pipeline \"\(pipeline)\" limits who may decide, or needs several decisions; "
                + "without keys the worker cannot tell senders apart.",
            next: "Give the worker keys and an access policy, or remove this part of the gate's rule."
        )
    }
}

// The values that gates expect.
extension Errors {
    /// A value that a gate expects is missing.
    static func valueMissing(_ key: String, type: String) -> String {
        "The value `\(key)` is missing; a value of type \(type) is expected."
    }

    /// The error for the value of an approval; `members` has each expected key with its type, and whether it must be there.
    static func badValue(
        _ cause: String,
        expected members: [(key: String, type: String, isRequired: Bool)]
    ) -> BusError {
        guard !members.isEmpty else { return BusError(.badValue, cause, next: "Approve without a value.") }
        let list = members.map { "`\($0.key)`: \($0.type)\($0.isRequired ? "" : ", optional")" }
            .joined(separator: "; ")
        let others = members.contains { $0.type != "string" } ? ", and --value key:=JSON for any other value" : ""
        return BusError(
            .badValue,
            cause,
            next: "Approve with an object that has these keys: \(list)."
                + " With `forgebus approve`, write --value key=TEXT for a string\(others)."
        )
    }
}

// Requests of runs that can never begin: what is wrong, and the next move.
extension Errors {
    /// What is wrong with a definition, and the next move.
    typealias Words = (message: String, next: String)

    /// A hook of a pipeline names an event that no run causes.
    static let eventOfNoPipeline: Words = (
        "No run of a pipeline causes this event.",
        "Move it to the events of the whole worker: `on` at the top level of the worker file; in Swift, "
            + "`events` of the WorkerConfiguration."
    )

    /// The pipeline of a hook requires a seed that events do not have.
    static func seedOfNoEvent(_ key: String, of pipeline: Name, offered: [String]) -> Words {
        (
            "The pipeline \"\(pipeline)\" requires the seed `\(key)`, which no event has.",
            "Give the seed a default, or use a seed that events have: \(offered.joined(separator: ", "))."
        )
    }

    /// An action gives a pipeline a seed that it does not declare.
    static func givesUnknownSeed(_ key: String, to pipeline: Name, among keys: [String]) -> Words {
        let guess = Spelling.guess(key, among: keys).map { " Did you mean `\($0)`?" } ?? ""
        return (
            "The pipeline \"\(pipeline)\" has no seed \(Printable.quoted(key)).\(guess)",
            "Give only the seeds that the pipeline declares."
        )
    }

    /// An action gives a secret to a seed that is not secret.
    static func givesSecret(_ key: String, to pipeline: Name) -> Words {
        (
            "The seed `\(key)` of the pipeline \"\(pipeline)\" gets a secret value, but is not declared as secret.",
            "Declare this seed with `secret: true` in a worker file, or with `isSecret: true` in Swift."
        )
    }

    /// An action gives a constant that the pipeline refuses, for this reason.
    static func valueDoesNotFit(_ pipeline: Name, because reason: String) -> Words {
        (
            "The value does not fit the pipeline \"\(pipeline)\": \(reason)",
            "Change the value, or the seed's declaration in that pipeline."
        )
    }

    /// An action takes a seed that its own pipeline does not declare.
    static func takesUnknownSeed(_ name: String, of pipeline: Name, among keys: [String]) -> Words {
        let guess = Spelling.guess(name, among: keys).map { " Did you mean `\($0)`?" } ?? ""
        return (
            "The pipeline \"\(pipeline)\" declares no seed \(Printable.quoted(name)).\(guess)",
            "Declare the seed; or for a value that an action sets, write `{value.NAME}` in a worker file, or "
                + "`.value(\"NAME\")` in Swift."
        )
    }

    /// An action gives a seed a value of another type; `types` are the declared type and that of the value.
    static func givesWrongType(
        _ key: String,
        _ types: (declared: String, given: String),
        to pipeline: Name,
        isOfEvent: Bool
    ) -> Words {
        (
            "The seed `\(key)` of the pipeline \"\(pipeline)\" is of type \(types.declared), "
                + "but gets a value of type \(types.given).",
            isOfEvent
                ? "Declare the seed as \(types.given), the type that it has in events."
                : "Give a value of type \(types.declared); if the value comes from a seed, declare that seed as "
                    + "\(types.declared), too. Or declare the seed of \"\(pipeline)\" as \(types.given)."
        )
    }

    /// An action does not give a seed that the pipeline requires.
    static func seedNotGiven(_ key: String, to pipeline: Name) -> Words {
        (
            "The pipeline \"\(pipeline)\" requires the seed `\(key)`, which this request does not give.",
            "Add the seed to the `seeds` of this request."
        )
    }

    /// An action or a hook requests a pipeline that the worker does not have.
    static func requestsUnknown(_ pipeline: Name, among pipelines: [String]) -> Words {
        let guess = Spelling.guess(pipeline.text, among: pipelines).map { " Did you mean `\($0)`?" } ?? ""
        return (
            "The worker has no pipeline \(Printable.quoted(pipeline.text)).\(guess)",
            "Name a pipeline of the same worker."
        )
    }

    /// A chain of pipelines, each of which requests the next one, is a circle or too long.
    static func badChain(_ path: String, requested: Int, most: Int, isCircle: Bool) -> Words {
        isCircle
            ? ("The requests go in a circle: \(path).", "Remove one of these requests.")
            : (
                "The chain \(path) has \(requested) requested runs; at most \(most) may follow each other.",
                "Shorten the chain."
            )
    }

    /// Why an action that requests a run fails outside a worker.
    static let onlyAWorkerBegins =
        "only a worker can begin the run that this action requests: run the pipeline on a BusWorker, or in a test on a "
        + "TestWorker"

    /// The end of a sentence about a debounce whose maximum wait is too short.
    static func debounceTooShort(_ maximum: Duration, quiet: Duration) -> String {
        "the maximum wait of its debounce, \(maximum), is shorter than the quiet time, \(quiet)"
    }

    /// The reason of a restored trouble; the store has only the time of the failure.
    static func failedBefore(_ monitor: Name) -> String {
        "A cycle failed or took too long before the worker restarted; the monitor's history "
            + "(for instance `forgebus explain \(monitor)`) says why."
    }

    /// The next move about a publication that is not granted to its principal.
    static func publicationNotGranted(_ principal: String, _ grant: String) -> String {
        "Grant \(grant) to the principal \"\(principal)\" in the access file, and send SIGHUP to the worker. Or let "
            + "this principal publish on another topic."
    }
}
