import ArgumentParser
import ForgeBusProtocol
import Foundation

/// The command line.
extension Errors {
    static let noTime = ValidationError(
        "A time is a number with a unit, such as 30s, 5m, 2h or 3d, at most 100000d; a number without a unit means "
            + "seconds."
    )

    static let noPointInTime = ValidationError(
        "Write the time in ISO 8601 with a time zone, such as 2026-03-01T09:30:00Z, or as milliseconds since 1970."
    )

    static func noBatch(_ text: String) -> ValidationError {
        ValidationError(
            "Write the sizes of batches as numbers or percentages with commas between them, such as 1,10%,100%; found "
                + "\(Printable.quoted(text))."
        )
    }

    static func longRollout(_ id: String) -> ValidationError {
        ValidationError(
            "The id of a roll-out has at most 63 bytes, because the name of each worker is added to it; found "
                + "\(id.utf8.count) bytes."
        )
    }

    /// How to look again without another cycle.
    static func fleetAgain(_ command: String) -> String { "again later, without another cycle: \(command)" }

    /// How to learn whether runs that completed have helped.
    static let rolloutHelped = "whether it helped, only a new cycle tells: forgebus fleet notify TOPIC"

    /// How to go on with a roll-out that is not complete.
    static func rolloutAgain(_ id: String, on workers: [Name], chosenAnew: Bool) -> String {
        "to go on, and to learn what is unknown, repeat the command with --id \(id)"
            + (chosenAnew ? " and, in place of --failing, --on \(workers.map(\.text).joined(separator: ","))" : "")
            + ": no run begins twice"
    }

    static let filterWithoutAll = ValidationError(
        "--pipeline, --state, --principal, --older-than, --prefix and --expect can only be used with --all."
    )

    static let reasonWithoutAll = ValidationError(
        "--reason can only be used with --all; for one run, write the reason after the run's id: forgebus cancel RUN "
            + "REASON."
    )

    static let filterOfWaits = ValidationError(
        "--pipeline, --principal, --older-than and --newest can only be used with `forgebus list runs` and `forgebus "
            + "list signals`."
    )

    static let endlessPause = ValidationError(
        "A monitor needs --for, such as --for 2h, because a pause that somebody forgets must end by itself."
    )

    static let documentWithoutEnd = ValidationError(
        "-o json prints at the end, and this command has no end: use -o jsonl, or give --count."
    )

    static let itemOfNoKind = ValidationError(
        "Write the kind and the name as two words: run, signal, monitor, pipeline, history or output, and the name; or "
            + "write only the name."
    )

    static let halfKeys = ValidationError(
        "--access and --certificate go together: give both for a worker with keys, or neither."
    )

    static let previousKeysAlone = ValidationError(
        "--previous-certificate needs --certificate and --access: it is for a worker with new keys."
    )

    static let oneKeyOption = ValidationError(
        "--server-key and --certificate go together, because both sides must prove who they are. Give both or neither, "
            + "as options or with the variables FORGEBUS_SERVER_KEY and FORGEBUS_CERTIFICATE."
    )

    static let publishedNowhere = ValidationError(
        "Give --endpoint with the endpoints where workers listen for publications, or --bind with an endpoint that "
            + "workers connect to, but not both."
    )

    static let allowWithoutBind = ValidationError(
        "--allow can only be used with --bind: with --endpoint, the workers decide whose key they accept."
    )

    static let serverKeyOfPublisher = ValidationError(
        "--server-key can only be used with --endpoint: with --bind, this command is the server, and --allow names the "
            + "keys of the workers."
    )

    static let halfPublisherKeys = ValidationError(
        "With --bind, --certificate (or FORGEBUS_CERTIFICATE) and --allow go together: give both for workers with keys, "
            + "or neither."
    )

    static let noFleet = ValidationError(
        "Name the inventory of the fleet: with --fleet FILE, or with the variable FORGEBUS_FLEET."
    )

    static let noKeyName = ValidationError(
        "Give a path that ends with a name, without a file extension: keys/shop writes keys/shop.key and "
            + "keys/shop.key_secret."
    )

    static let copyOfMemory = ValidationError(
        "A store in memory cannot be copied, and cannot be the new store; name a file or the URL of a database."
    )

    static let copyWithoutName = ValidationError(
        "A store in a database needs --name with the worker's name, because one database can have the stores of several "
            + "workers."
    )

    static func runBesideAll(_ run: Name, advice: String) -> ValidationError {
        ValidationError(
            "With --all, no run may be named, and \(Printable.quoted(run.text)) was read as the id of a run. Leave out "
                + "this word, or leave out --all.\(advice)"
        )
    }

    static func pauseOfNoKind(_ word: String) -> ValidationError {
        let hint =
            word == "run" || word.hasPrefix("run/") || word.hasPrefix("run-")
            ? " A run cannot be paused; its pipeline can. To resume a parked run, use `forgebus redrive`." : ""
        return ValidationError("Write pipeline NAME or monitor NAME.\(hint)")
    }

    static func patternOfNoKind(_ kind: String) -> ValidationError {
        ValidationError(
            "A pattern begins with run, signal, monitor, * or >; found \(Printable.quoted(kind)). For instance, "
                + "'run.deploy.>' matches all runs of the pipeline \"deploy\", and 'signal.>' all signals."
        )
    }

    static func noArguments(_ found: JSONValue) -> ValidationError {
        ValidationError(
            "The arguments of a task must be one JSON object, such as '{\"name\":\"backup-7\"}'; found "
                + "\(Printable.cut(found.description, to: 80))."
        )
    }

    static func noJSON(_ error: BusError, for key: some StringProtocol, _ text: String) -> ValidationError {
        ValidationError(
            "\(error.message) The text after := must be JSON; for a text, write \(key)=\(text.forShells)."
        )
    }

    static func noDay(_ word: String) -> ValidationError {
        ValidationError("\(Printable.quoted(word)) is not a date; write year-month-day, such as 2027-01-31.")
    }

    static func noGrant(_ word: String, _ rights: [String]) -> ValidationError {
        let right = word.split(separator: "=").first.map(String.init) ?? ""
        let guess = Spelling.guess(right, among: rights).map { " Did you mean `\($0)`?" } ?? ""
        return ValidationError(
            "\(Printable.quoted(word)) is no grant; write a right, `=` and a pattern, such as run=deploy. The rights are "
                + "\(rights.joined(separator: ", ")).\(guess)"
        )
    }

    static func unknownScope(_ word: String, _ rights: [String]) -> ValidationError {
        let isDecision = ["approve", "reject", "withdraw"].contains(word)
        return ValidationError(
            "\(Printable.quoted(word)) is not a right; the rights are \(rights.joined(separator: ", "))."
                + (isDecision ? " To let the token decide gates, use `--scope complete`." : "")
        )
    }

    static func noHeader(_ word: String) -> ValidationError {
        ValidationError(
            "\(Printable.quoted(word)) is not the name of a header; give --proxy-user-header 1 to 64 characters from "
                + "A-Z a-z 0-9 _ -, such as X-Forwarded-User."
        )
    }

    /// The sample, or the schema beside it, could not be written.
    static func unwrittenSample(_ file: String, _ error: any Error, command: String) -> [String] {
        let directory = URL(filePath: file).absoluteURL.deletingLastPathComponent().path
        let place = Printable.quoted(directory, atMost: 200)
        let (cause, advice): (String, String) =
            if !FileManager.default.fileExists(atPath: directory) {
                ("The directory \(place) does not exist.", "Create it")
            } else if !FileManager.default.isWritableFile(atPath: directory) {
                ("This user may not write in the directory \(place).", "Let this user write there")
            } else {
                (error.localizedDescription, "Remove this cause")
            }
        return [
            "The sample \(Printable.quoted(file, atMost: 200)) cannot be written: \(cause)",
            "  \(advice), or name a file in another directory: forgebus \(command) FILE",
        ]
    }

    /// The file for the sample exists.
    static func sampleExists(_ file: String) -> [String] {
        [
            "The file \(Printable.quoted(file, atMost: 200)) exists, and is as it was.",
            "  Name another file: forgebus init FILE",
        ]
    }
}
