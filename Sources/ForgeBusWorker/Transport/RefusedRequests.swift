import ForgeBusProtocol

/// The ids of refused requests, in the order of the refusals, in little memory.
struct RefusedRequests {
    /// The bytes of the ids, each id after one byte with its length.
    private var bytes: [UInt8] = []
    private var start = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many bytes an id takes here.
    static func size(of id: RequestID) -> Int { 1 + id.text.utf8.count }

    var first: RequestID? {
        guard start < bytes.count else { return nil }
        let end = start + 1 + Int(bytes[start])
        guard let id = try? RequestID(bytes: bytes[(start + 1)..<end]) else {
            fatalError("Internal error: a kept request id cannot be read.")
        }
        return id
    }

    mutating func append(_ id: RequestID) {
        bytes.append(UInt8(id.text.utf8.count))
        bytes += id.text.utf8
        count += 1
    }

    mutating func removeFirst() {
        start += 1 + Int(bytes[start])
        count -= 1
        // The bytes are moved only seldom: moving them for each id would take quadratic time.
        if start > 4096, start * 2 > bytes.count {
            bytes.removeFirst(start)
            start = 0
        }
    }
}
