import ForgeBusProtocol
import ForgeBusWorker

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// The errors about posts, webhooks and the files of their secrets.

extension Errors {
    static var noPoster: ConfigurationError {
        ConfigurationError(
            .badValue,
            "This program has no HTTP client, so it cannot send a POST.",
            next: "In a Swift program of your own, pass an HTTP client to `WorkerFile` as the argument `poster`, such "
                + "as a `PostClient` of ForgeBusGateway. If the program is `forgebus`, build it with the package "
                + "trait HTTP. Or let an action with `run` send the request, with a program such as curl."
        )
    }

    static var nestedPlaceholder: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A placeholder such as \"{seed.version}\" works only in a text directly below `send`, and not inside a "
                + "mapping or a list, as here.",
            next: "Give the text a key of its own directly below `send`. Or let an earlier action with `run` "
                + "print {\"NAME\": …} with the finished mapping or list, and write \"{value.NAME}\" here."
        )
    }

    static func secretSeedInText(_ name: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The seed `\(name)` is secret, and can be sent only as the whole value of a key below `send`.",
            next: "Write \"{seed.\(name)}\" as the value of a key of its own."
        )
    }
}

// MARK: URLs

extension Errors {
    static func notURL(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected a URL that begins with http:// or https:// and has no fragment, \(found(text)).",
            next: "Write a URL such as https://example.org/hook"
                + (text.contains("#") ? ", without the # and the text after it." : ".")
        )
    }

    static func placeholderInOrigin(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The scheme, the host and the port of the URL cannot have placeholders; \(found(text)).",
            next: "Write these parts without placeholders: a value of a run must not decide which machine gets the "
                + "request."
        )
    }

    static func longPath(sizeInBytes: Int, limit: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The path and the query of the URL have \(sizeInBytes) bytes; at most \(limit) are allowed.",
            next: "Write a shorter URL; the body can carry values, too, below `send`."
        )
    }

    /// A path that is not a template, in a monitor's action, which can have no placeholders at all.
    static func badPathOfMonitor(_ error: BusError) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            error.message,
            next: "The URL of a monitor's action has no placeholders; send the values in the body, below `send`."
        )
    }

    static func placeholderOfMonitor(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The URL of a monitor's action cannot have placeholders; \(found(text)).",
            next: "Send the values in the body, below `send`."
        )
    }

    static func characterInURL(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "A URL has only ASCII characters, and no spaces, backslashes or quotation marks; \(found(text)).",
            next: "Percent-encode the other characters: a space is %20."
        )
    }

    /// A URL with a user name, which is not shown, because a password may come with it.
    static var userInURL: ConfigurationError {
        ConfigurationError(
            .badValue,
            "The URL of a post cannot have a user name or a password.",
            next: "Remove the user name, the password and the @. If the server needs a secret, sign the post with "
                + "`secret_file`; or, in a pipeline, declare a seed with `secret: true`, and list it under the "
                + "action's key `send`."
        )
    }

    static func badHost(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected a URL with a host of the characters A-Z a-z 0-9 - _ and dots, \(found(text)).",
            next:
                "Write a URL such as https://example.org/hook. Write a host name with other letters in its ASCII form, "
                + "which begins with xn--, and an IPv6 address in brackets, as in http://[::1]/hook."
        )
    }

    static func badPort(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "Expected a URL with a port from 1 to 65535 or without a port, \(found(text)).",
            next: "Write a URL such as https://example.org:8443/hook; an IPv6 address is in brackets, as in "
                + "http://[::1]/hook."
        )
    }

    private static func found(_ text: String) -> String { "found \(Printable.quoted(text))" }
}

// MARK: Webhooks

extension Errors {
    static var seedsOfNotification: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A webhook with `topic` sends a notification, and a notification has no seeds.",
            next: "Remove `seeds`: the notification has the whole delivery as its body. Or write `run` with a "
                + "pipeline in place of `topic`."
        )
    }

    static var topicAndRun: ConfigurationError {
        ConfigurationError(
            .badValue,
            "A webhook has `topic` or `run`, not both.",
            next: "Write two webhooks, and let the service report to both."
        )
    }

    static var neitherTopicNorRun: ConfigurationError {
        ConfigurationError(
            .missingKey,
            "The webhook has neither the key `topic` nor the key `run`.",
            next: "Add `topic` to send a notification for each delivery, or `run` to request a run of a pipeline."
        )
    }

    /// What to write instead of a value that has no conditions.
    static let conditions =
        "Write a place in the delivery, and the values there for which the webhook acts, such as "
        + "{body.action: [opened, closed]}; the gateway ignores the other deliveries."

    static func notPlace(_ text: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "\(Printable.quoted(text)) is not a place in the delivery.",
            next: "Write `event`, or `body` and the keys that lead to a value in the body, such as "
                + "`body.action` or `body.object.state`."
        )
    }

    /// A text that is not a topic: because of a character that no topic has, or because of `flaw`.
    static func notTopic(_ text: String, character: Character?, flaw: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            character.map {
                "\(Printable.quoted(text)) is not a topic: the character \(Printable.quoted(String($0))) is not "
                    + "allowed."
            } ?? flaw,
            next: "Write a topic of A-Z a-z 0-9 _ - and dots, such as repository.{event}; {event} stands for the "
                + "event of the delivery."
        )
    }
}

// MARK: Secrets

extension Errors {
    static func notKey(inFile path: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The file \(Printable.quoted(path)) does not contain a secret in the form whsec_ and then 24 to 64 "
                + "bytes in Base64.",
            next: "Copy the secret of the HTTP service into the file. Or make a secret with `(umask 077; (printf "
                + "whsec_; head -c 32 /dev/urandom | base64) > FILE)`, and enter it in the service, too."
        )
    }

    static func secretOpenToAll(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .untrusted,
            "The permissions of the file \(Printable.quoted(path)) let every user of this machine use its secret.",
            next: "Run `chmod o= \(path)`; a running program reads the file again at its next use."
        )
    }

    static func secretTooLarge(_ path: String, sizeInBytes: Int, limit: Int) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The file \(Printable.quoted(path)) has \(sizeInBytes) bytes; a secret has at most \(limit).",
            next: "Name the file of the secret."
        )
    }

    static func emptySecret(_ path: String) -> ConfigurationError {
        ConfigurationError(
            .badValue,
            "The file \(Printable.quoted(path)) is empty.",
            next: "Write the secret into it."
        )
    }

    /// A secret that cannot be read; `number` is the system's number of the error, 0 if there is none.
    static func unreadableSecret(_ path: String, isDirectory: Bool, _ number: Int32) -> ConfigurationError {
        let system = ": \(String(cString: strerror(number)))"
        let (cause, next) =
            if isDirectory {
                (": it is a directory", "Write the path of the file with the secret.")
            } else if number == ENOENT || number == ENOTDIR {
                (system, "Correct the path, or create the file.")
            } else if number == EACCES {
                (system, "Let the user that runs this program read the file and enter each directory of its path.")
            } else if number != 0 {
                (system, "Correct the path, so that it leads to the file.")
            } else {
                (
                    "",
                    "Check that the path leads to a file, that the user that runs this program may read it, and that "
                        + "the process may open more files (ulimit -n)."
                )
            }
        return ConfigurationError(
            .unreadable,
            "The file \(Printable.quoted(path)) cannot be read\(cause).",
            next: next
        )
    }
}
