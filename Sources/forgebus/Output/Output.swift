import ForgeBusConfiguration
import ForgeBusProtocol
import Synchronization

/// Prints a command's results in the requested format.
///
/// As `json`, the whole output is one document. For a command with one result, the document is that result's object.
/// For a command with several results, it is an array of the objects that `jsonl` would print. If there is an error,
/// its object comes last.
///
/// One lock guards all of the output's state.
final class Output: Sendable {
    /// How many results a command prints.
    enum Shape {
        /// One result, or an error in its place.
        case one
        /// Any number of results.
        case several
    }

    private struct State {
        /// The results so far, if they are the elements of one JSON array that is printed at the end.
        var held: [JSONValue] = []
        var interruption: BusError
    }

    let format: OutputFormat
    private let shape: Shape
    private let state: Mutex<State>

    init(_ format: OutputFormat, _ shape: Shape, ifInterrupted error: BusError = .interrupted(nil)) {
        self.format = format
        self.shape = shape
        state = Mutex(State(interruption: error))
    }

    /// The error to print if the command is interrupted now; its text says how to continue.
    var interruption: BusError {
        get { state.withLock { $0.interruption } }
        set { state.withLock { $0.interruption = newValue } }
    }

    /// Prints one result in the requested format, with lines for people.
    func show(_ lines: @autoclosure () -> [String], _ object: @autoclosure () -> JSONObject) {
        switch format {
        case .text: Terminal.say(lines())
        case .json, .jsonl: say(.object(object()))
        }
    }

    /// Prints one result in the requested format, with one line for people.
    func show(_ line: @autoclosure () -> String, _ object: @autoclosure () -> JSONObject) {
        show([line()], object())
    }

    /// Prints an error: lines for people on standard error, and in the JSON formats also an object.
    func show(_ error: BusError) {
        Terminal.complain(["\(error.code): \(error.message)", "  \(error.next)"])
        switch format {
        case .text: break
        case .json, .jsonl: say(.object(error.json))
        }
    }

    /// Prints the errors of a file: lines for people on standard error, and in the JSON formats also an object.
    ///
    /// There is a line for each error, in a compiler's format, which editors understand.
    func show(_ error: ConfigurationError) {
        Terminal.complain(error.lines, as: error.file == nil ? "forgebus: " : "")
        switch format {
        case .text: break
        case .json, .jsonl: say(.object(error.json))
        }
    }

    /// Ends the output: if it is one JSON document with several results, prints the array.
    func end() {
        guard format == .json, shape == .several else { return }
        Terminal.say(document: JSONValue.array(state.withLock { $0.held }).description)
    }

    private func say(_ value: JSONValue) {
        if format == .json, shape == .several { return state.withLock { $0.held.append(value) } }
        Terminal.say(document: value.description)
    }
}

extension BusError {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["error": .string(code.rawValue)]
        object["message"] = .string(message)
        object["next"] = .string(next)
        object["retryable"] = .bool(isRetryable)
        if !details.isEmpty { object["details"] = .object(details) }
        return object
    }
}

extension ConfigurationError {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["error": .string(code.rawValue), "message": .string(message), "next": .string(next)]
        object["file"] = file.map { .string($0) }
        object["line"] = line.map { .integer(Int64($0)) }
        object["column"] = column.map { .integer(Int64($0)) }
        object["key"] = key.map { .string($0) }
        object["retryable"] = .bool(false)
        if !others.isEmpty { object["others"] = .array(others.map { .object($0.json) }) }
        return object
    }
}

extension String {
    /// The text, padded with spaces to `width`.
    func padded(to width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self + " "
    }
}

extension Duration {
    /// The duration for people: seconds or milliseconds with one decimal, or whole microseconds.
    var readable: String {
        let microseconds = microseconds
        return switch microseconds {
        case ..<1_000: "\(microseconds) µs"
        case ..<1_000_000: "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms"
        default: "\(microseconds / 1_000_000).\(microseconds % 1_000_000 / 100_000) s"
        }
    }
}
