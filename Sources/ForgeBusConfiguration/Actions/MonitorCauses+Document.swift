import ForgeBusProtocol
import ForgeBusWorker
import Foundation

extension MonitorCauses {
    /// The causes as the JSON document that a command reads; <doc:TheWorkerFile> describes the format.
    var document: [UInt8] {
        let document: JSONObject = [
            "topics": .array(topics.map { .object($0.document) }),
            "others": .integer(Int64(others)),
        ]
        return JSONValue.object(document).encoded
    }
}

extension MonitorCauses.Cause {
    fileprivate var document: JSONObject {
        var document: JSONObject = [
            "topic": .string(topic.text),
            "count": .integer(Int64(count)),
            "first_ms": .integer(firstUnixMilliseconds),
            "last_ms": .integer(lastUnixMilliseconds),
            "publisher": .string(publisher),
            "trace_ids": .array(traceIDs.map { .string($0) }),
            "body_bytes": .integer(Int64(lastBodySizeInBytes)),
        ]
        if let text = lastBodyText {
            document["body"] = .string(text)
        } else {
            document["body_base64"] = .string(Data(lastBody).base64EncodedString())
        }
        return document
    }

    /// The body as a text; nil if it is not UTF-8.
    private var lastBodyText: String? {
        if let text = String(validating: lastBody, as: UTF8.self) { return text }
        guard lastBody.count < lastBodySizeInBytes else { return nil }
        // The body may have been cut inside a character, which has at most four bytes.
        return (1...3).lazy.compactMap { String(validating: lastBody.dropLast($0), as: UTF8.self) }.first
    }
}
