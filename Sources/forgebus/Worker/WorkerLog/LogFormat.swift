import ArgumentParser
import ForgeBusProtocol
import Foundation
import Logging

/// The format of a worker's log.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    /// A line for people: the local time, the level, the label, the source, the message and the metadata.
    case text
    /// A JSON object on each line, for programs that collect logs.
    case json

    /// A record as a line, without a line end.
    func line(
        _ level: Logger.Level,
        _ label: String,
        _ metadata: Logger.Metadata = [:],
        source: String,
        _ message: Logger.Message
    ) -> String {
        switch self {
        case .text: LogLine.text(level, label, metadata, source: source, message)
        case .json: LogLine.json(level, label, metadata, source: source, message)
        }
    }

    /// The lines of an error as one record, after `name`.
    func complaint(_ lines: [String], as name: String) -> String {
        switch self {
        case .text: name + lines.map(Printable.escaped).joined(separator: "\n")
        case .json: LogLine.json(.critical, "forgebus.worker", source: "forgebus", "\(lines.joined(separator: "\n"))")
        }
    }
}

extension LogLine {
    /// The record as a JSON object: `time` (ISO 8601, UTC), `level`, `label`, `source`, `message` and `metadata`.
    ///
    /// If the line would be longer than the limit, the metadata is left out, the message is cut, and `cut` is true.
    static func json(
        _ level: Logger.Level,
        _ label: String,
        _ metadata: Logger.Metadata = [:],
        source: String,
        _ message: Logger.Message
    ) -> String {
        var line: JSONObject = [
            "time": .string(Timestamp.text(Int64(Date().timeIntervalSince1970 * 1_000))),
            "level": .string(level.rawValue), "label": .string(label), "source": .string(source),
            "message": .string("\(message)"),
        ]
        if !metadata.isEmpty { line["metadata"] = json(.dictionary(metadata)) }
        let text = JSONValue.object(line).description
        if text.utf8.count <= sizeLimit { return text }
        // In JSON, each byte of the message becomes at most six bytes.
        line["message"] = .string(Printable.cut("\(message)", to: sizeLimit / 8))
        line["metadata"] = nil
        line["cut"] = true
        return JSONValue.object(line).description
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string("\(value)")
        case .array(let values): .array(values.map { json($0) })
        case .dictionary(let metadata):
            .object(
                metadata.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = json($1.value) }
            )
        }
    }
}
