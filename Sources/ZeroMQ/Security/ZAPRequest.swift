/// libzmq's question whether a key may connect.
///
/// Pure: parses frames into a question, and turns a decision into frames. The protocol is rfc.zeromq.org/spec/27.
struct ZAPRequest {
    let requestID: ArraySlice<UInt8>
    let domain: String
    /// The address the peer connects from.
    let address: String
    /// The key that the peer has proved to hold; nil for a mechanism other than CURVE.
    let key: PublicKey?

    /// Reads a request from its frames; nil for other messages.
    ///
    /// - Parameter message: Empty frame, version, request id, domain, address, routing id, mechanism, credentials.
    init?(_ message: Message) {
        guard message.count >= 7, message[0].isEmpty, message[1].elementsEqual("1.0".utf8) else { return nil }
        requestID = message[2]
        domain = String(decoding: message[3], as: UTF8.self)
        address = String(decoding: message[4], as: UTF8.self)
        let isCurve = message[6].elementsEqual("CURVE".utf8) && message.count == 8
        key = isCurve ? try? PublicKey(bytes: Array(message[7])) : nil
    }

    /// The answer: seven frames, counting the empty one, or libzmq refuses the peer with a protocol error.
    func reply(_ admission: Admission) -> Message {
        var reply = Message()
        reply.append([])
        reply.append("1.0")
        reply.append(requestID)
        reply.append(admission.status)
        reply.append(admission.reason)
        // The User-Id is the key itself; libzmq attaches it to each message of the connection.
        reply.append(admission == .allowed ? key?.description ?? "" : "")
        reply.append([])
        return reply
    }
}

extension Admission {
    fileprivate var status: String {
        switch self {
        case .allowed: "200"
        case .refused: "400"
        case .postponed: "300"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .allowed: "OK"
        case .refused: "The key is not allowed"
        case .postponed: "Not now"
        }
    }
}
