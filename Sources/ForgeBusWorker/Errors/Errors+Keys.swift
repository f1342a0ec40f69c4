import ForgeBusProtocol

// Keys, endpoints and access that cannot work.
extension Errors {
    /// The error for a principal with a name that has a meaning of its own.
    static func reservedPrincipal(_ name: String, means meaning: String) -> WorkerError {
        policy("A principal must not be called \"\(name)\", because that name means \(meaning).")
    }

    /// The error for a principal that acts for others and has another right.
    static func rightBesideActing(_ name: String, _ right: String) -> WorkerError {
        policy("The principal \"\(name)\" has the right `act_as`, so it must have no other right; found `\(right)`.")
    }

    /// The error for a member of a group that is no principal.
    static func strangerInGroup(_ group: String, _ name: String) -> WorkerError {
        policy("The group \"\(group)\" has the member \"\(name)\", which is not a principal of the policy.")
    }

    /// The error for an access policy; `cause` says what is wrong.
    static func policy(_ cause: String) -> WorkerError {
        WorkerError(.definition, cause, next: "Correct the access policy.")
    }

    /// The error for a text that is no key.
    static func noKey(sizeInBytes: Int) -> WorkerError {
        WorkerError(
            .definition,
            "Expected a public key, 40 characters of Z85; found \(sizeInBytes) bytes that are not a key.",
            next: "Use the key that `forgebus keygen` prints, or the `public-key` of a certificate, in quotes."
        )
    }

    /// The error for an access policy that has a secret key of the worker in place of a public key.
    static func listedSecretKey(of principal: String) -> WorkerError {
        WorkerError(
            .definition,
            "The access policy has a secret key of the worker in place of a public key of the principal "
                + "\"\(principal)\".",
            next: "List only public keys. This secret key is now exposed, so the worker must not use it any more: give "
                + "the worker a new key pair, and its clients the new public key."
        )
    }

    /// The error for an access policy that has the secret key of the worker's previous key pair.
    static func listedPreviousKey(of principal: String) -> WorkerError {
        WorkerError(
            .definition,
            "The access policy has a secret key of the worker, that of the previous key pair, in place of a public "
                + "key of the principal \"\(principal)\".",
            next: "List only public keys. This secret key is now exposed, so the worker must not use it any more: "
                + "start the worker without a previous key (on the command line: without --previous-certificate)."
        )
    }

    /// The error for a key that no public key can be: a secret key, or a public key with a mistake.
    static let noPublicKey = WorkerError(
        .definition,
        "Expected a public key, found a secret one, or a public one with a typing error.",
        next: "If the key is secret, it is now exposed: create a new key pair, and use the public key of the new pair. "
            + "Otherwise correct the key."
    )

    /// The error for a previous key without a current key.
    static let previousWithoutCurrent = WorkerError(
        .definition,
        "The worker has a previous key, but no current key.",
        next: "Give the worker a certificate and an access policy, or leave out the previous key."
    )

    /// The error for a previous key that is the current key.
    static let previousIsCurrent = WorkerError(
        .definition,
        "The worker's previous key is the same as its current key.",
        next: "Create a new key pair with `forgebus keygen`, and make it the current one; or leave out "
            + "the previous key."
    )

    /// The error for a previous key without an endpoint.
    static let previousWithoutEndpoint = WorkerError(
        .definition,
        "The worker has a previous key, but no endpoint for it.",
        next: "Name the endpoints for clients that still know only the worker's previous public key (on the "
            + "command line: with --previous-listen), or leave out the previous key."
    )

    /// The error for an endpoint that both keys have.
    static func endpointOfBothKeys(_ endpoint: String) -> WorkerError {
        WorkerError(
            .definition,
            "\(endpoint) is configured for the worker's current key and also for its previous key.",
            next: "Keep this endpoint for the previous key, and let the worker listen at another endpoint with its "
                + "current key."
        )
    }

    /// The error for a certificate file without its secret key.
    static func noSecretKey(in path: String) -> WorkerError {
        WorkerError(
            .definition,
            "\(path) is a certificate without its secret key.",
            next: "Use the file that ends in .key_secret; `forgebus keygen` writes both files."
        )
    }

    /// The error for a certificate without a policy that has keys.
    static let policyWithoutKeys = WorkerError(
        .definition,
        "The worker has a certificate, but its access policy has no keys.",
        next: "Give the worker the policy of an access file."
    )

    /// The error for an endpoint that other machines may reach, of a worker without keys.
    static func openDoor(_ endpoint: String) -> WorkerError {
        WorkerError(
            .openDoor,
            "Other machines may be able to reach \(endpoint), and without keys the worker cannot identify senders.",
            next: "Use an ipc endpoint, or a loopback address such as tcp://127.0.0.1:7717, or give the worker a "
                + "certificate and an access policy."
        )
    }

    /// The error for an endpoint at which an unknown key may connect; `next` is the next move.
    static func strangersAdmitted(_ reason: String, next: String?) -> WorkerError {
        WorkerError(
            .openDoor,
            "The worker did not start, because a test of its endpoints failed. The test checks that a connection "
                + "with an unknown key is refused. \(reason)",
            next: next
                ?? "Another program may answer at this endpoint: stop that program, or let the worker listen elsewhere."
        )
    }

    /// The error for a new policy of a worker without keys.
    static let noPolicyToReplace = WorkerError(
        .usage,
        "The worker has no keys, so it has no access policy to replace.",
        next: "Create the worker with access by keys."
    )

    /// The error for a new policy without keys.
    static let newPolicyWithoutKeys = WorkerError(
        .usage,
        "The new access policy has no keys, so it cannot replace the policy of a worker with keys.",
        next: "Pass a policy with keys."
    )

    /// The error for a request to a process that waits for its store.
    static let standby = WorkerError(
        .standby,
        "This process is on standby: it begins to run the worker when no other process runs it.",
        next: "Send the request to the process that runs the worker. If that process has ended, send the "
            + "request again after this process has taken the worker over."
    )

    /// The error for a connection that chose its own routing id, because another connection may choose the same.
    static let chosenRoutingID = BusError(
        .chosenRoutingID,
        "The connection chose its own routing id, which another connection may choose, too.",
        next: "Leave the socket's routing id (identity) unset, and connect again."
    )
}
