/// Where a ROUTER sends an answer: one connection of one peer, as that ROUTER knows it.
///
/// It comes with a received message and is good for sending on the same socket until the peer disconnects; after a
/// reconnect the peer has another one. It is no identity (a peer may claim any), and it is never printed, because who
/// knows the next one a ROUTER will hand out can stop the process.
public struct PeerID: Hashable, Sendable {
    /// An id that a ROUTER assigns has five bytes, so what travels all day needs no allocation.
    private enum Storage: Hashable, Sendable {
        /// Up to seven bytes in memory order; the eighth holds their number.
        case inline(UInt64)
        case allocated([UInt8])
    }

    private let storage: Storage

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= 7 else {
            storage = .allocated([UInt8](bytes))
            return
        }
        var packed: UInt64 = 0
        withUnsafeMutableBytes(of: &packed) { target in
            target.copyMemory(from: bytes)
            target[7] = UInt8(bytes.count)
        }
        storage = .inline(packed)
    }

    /// Whether the ROUTER made it for a connection that named none: five bytes, the first of them zero.
    ///
    /// Another was chosen by the peer, which can be under it what it likes. A peer may also claim one of this form, and
    /// nothing tells that: libzmq gives the `Identity` of a peer as text, which ends at the first zero.
    public var isAssigned: Bool { assignedNumber != nil }

    /// The number in an id that the ROUTER assigned, which is all that tells it from another; nil for a chosen one.
    package var assignedNumber: UInt32? {
        withUnsafeBytes { bytes in
            guard bytes.count == 5, bytes[0] == 0 else { return nil }
            return bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        }
    }

    /// The id that has this ``assignedNumber``.
    package init(assignedNumber number: UInt32) {
        var packed: UInt64 = 0
        withUnsafeMutableBytes(of: &packed) { target in
            target.storeBytes(of: number, toByteOffset: 1, as: UInt32.self)
            target[7] = 5
        }
        storage = .inline(packed)
    }

    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch storage {
        case .inline(let packed):
            Swift.withUnsafeBytes(of: packed) { bytes in
                body(UnsafeRawBufferPointer(rebasing: bytes[0..<Int(bytes[7])]))
            }
        case .allocated(let bytes):
            bytes.withUnsafeBytes(body)
        }
    }
}

extension PeerID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text: the id itself must not reach a log.
    public var description: String { "PeerID(redacted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Shows nothing of the id to `dump` either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
