/// A request from libzmq to decide whether a key may connect.
///
/// Pure: parses the frames of a request, and makes the frames of a reply. The protocol is ZAP, rfc.zeromq.org/spec/27.
struct ZAPRequest {
    let requestID: ArraySlice<UInt8>
    /// The ZAP domain of the server; each CURVE server of this module uses its own public key as its domain.
    let domain: String
    /// The address from which the peer connects.
    let address: String
    /// The key that the peer has proved to hold; nil for a mechanism other than CURVE.
    let key: PublicKey?

    /// Reads a request from its frames; nil if the message is not a ZAP request.
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

    /// Makes the reply of exactly seven frames, including the empty first one; libzmq accepts no other number.
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

extension ConnectionRequest {
    /// Takes the key, address and server from a request; nil if the request has no CURVE key or names no server key.
    init?(_ request: ZAPRequest) {
        guard let key = request.key, let server = try? PublicKey(request.domain) else { return nil }
        self.init(key: key, address: request.address, server: server)
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
