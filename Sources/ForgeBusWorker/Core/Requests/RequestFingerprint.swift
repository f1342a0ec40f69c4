import Crypto
import ForgeBusProtocol
import ForgeBusStore

extension Fingerprint {
    /// The fingerprint of the worker's own requests, and of requests that the ledger does not keep.
    static let none = Fingerprint(0, 0, 0, 0)

    /// Hashes the content of `request`, which was read from `frames`, with SHA-256.
    ///
    /// The content is the command, the subject, the body byte for byte, and the attributes that change the effect of
    /// the request.
    ///
    /// Attributes that only change the answers (`reply`, `progress`) or label the sender (`source`, `traceparent`) are
    /// not part of the content.
    init(of request: Request, frames: Frames) {
        var hash = SHA256()
        hash.update(counted: frames.command)
        hash.update(counted: frames.subject)
        hash.update(counted: frames.body)
        if let content = request.command.rules.content {
            hash.update(content.time, content.durability)
            if let selection = content.selection { hash.update(text: selection) }
        }
        self.init(hash)
    }

    /// Hashes a decision with SHA-256: whether it approves or rejects, and its value or reason byte for byte.
    init(of outcome: Decision.Outcome) {
        var hash = SHA256()
        switch outcome {
        case .approved(let value):
            hash.update(0)
            hash.update(counted: value[...])
        case .rejected(let reason):
            hash.update(1)
            hash.update(text: reason)
        }
        self.init(hash)
    }

    /// Makes a fingerprint from the digest of all hashed bytes.
    init(_ hash: SHA256) {
        self = hash.finalize().withUnsafeBytes { bytes in
            Fingerprint(
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }
}

extension SHA256 {
    /// Hashes the number of bytes, and then the bytes.
    ///
    /// So the hash changes if bytes move from the end of one part to the start of the next part.
    fileprivate mutating func update(counted bytes: ArraySlice<UInt8>) {
        update(Int64(bytes.count))
        bytes.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// Hashes the length of the text in bytes, and then the text as UTF-8.
    mutating func update(text: String) { update(counted: Array(text.utf8)[...]) }

    fileprivate mutating func update(_ duration: Duration?, _ durability: Durability?) {
        update(duration?.milliseconds ?? -1)
        switch durability {
        case nil: update(0)
        case .memory: update(1)
        case .fsynced: update(2)
        case .replicated: update(3)
        }
    }

    fileprivate mutating func update(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { update(bufferPointer: $0) }
    }
}
