import ForgeBusProtocol

// Keys, principals and grants.
extension Errors {
    /// The error for a connection whose key belongs to no principal of the policy; the same for every request.
    static let unknownKey = BusError(
        .forbidden,
        "The worker's access file does not have the key of the program that sent the request.",
        next: "Ask the worker's operator to add this key to a principal in the access file, and to send SIGHUP to the "
            + "worker."
    )

    /// The error for a connection that waits and whose key now belongs to another principal than `former`.
    static func keyOfAnother(_ former: String) -> BusError {
        BusError(
            .forbidden,
            "The key of the program that sent the request no longer belongs to the principal "
                + "\(Printable.quoted(former)) of the worker's access file.",
            next: "Send the request again: the worker then handles it as a request of the key's new principal."
        )
    }

    /// The error for a principal that the access policy does not have.
    static func unknownPrincipal(_ name: String, isKeyed: Bool) -> BusError {
        let next =
            if !isKeyed {
                "Send the request as the principal \"local\", the only one that a worker without keys knows. Or give "
                    + "the worker keys, and an access policy with this principal."
            } else if name == "local" {
                "Send the request as a principal of the worker's access policy: the name \"local\" means senders "
                    + "without a key, and this worker has keys."
            } else {
                "Ask the worker's operator to add the principal to the access file and to send SIGHUP to the worker; "
                    + "in a Swift program, add the principal to the worker's AccessPolicy. Or send the request as a "
                    + "principal that the worker knows."
            }
        return BusError(.forbidden, "The worker does not know the principal \(Printable.quoted(name)).", next: next)
    }

    /// The kind of request for which a grant is missing.
    enum MissingGrant {
        /// A request for another principal, which this one may not send.
        case actAs(String)
        /// A request to read one run.
        case readingRun
        /// Another request about one run, which the target names.
        case run(String)
        case other
    }

    /// The error for a request without a grant, the same whether or not the target exists.
    ///
    /// - Parameters:
    ///   - name: The principal that lacks the grant; `local` without keys.
    ///   - right: The right.
    ///   - target: The target for which the right is missing.
    ///   - kind: The kind of request.
    /// - Returns: The error.
    static func missingGrant(_ name: String, right: String, target: String, _ kind: MissingGrant) -> BusError {
        let grant = "`\(right)` on \"\(target)\""
        let cause: String
        var wanted = grant
        switch kind {
        case .actAs(let other):
            cause =
                "The principal \"\(name)\" may not send this request for the principal \"\(other)\": "
                + "\"\(name)\" has no grant of \(grant)."
        case .readingRun:
            cause = "The principal \"\(name)\" has no grant of \(grant)."
            wanted = "`read` on this run, or on all runs of its pipeline"
        case .run(let run):
            cause = "The principal \"\(name)\" has no grant of `\(right)` on the pipeline of the run \(run)."
            wanted = "`\(right)` on this pipeline"
        case .other: cause = "The principal \"\(name)\" has no grant of \(grant)."
        }
        return BusError(
            .forbidden,
            cause,
            // Without keys, nobody has a right beyond those of `local`.
            next: name == "local"
                ? right == "admin"
                    ? "Send a verb that begins with `store.`: without keys, a sender may request no other verb."
                    : "Without keys, no sender has this right. Start the worker with keys, and grant the right to a "
                        + "principal in the access file."
                : "Ask the worker's operator to grant the principal \"\(name)\" \(wanted).",
            details: ["grant": .string("\(right) on \(target)")]
        )
    }
}
