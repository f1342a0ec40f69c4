/// The address to which a ROUTER sends an answer: one connection of one peer.
///
/// A peer id comes with a received message. Use the id to send on the same socket until the peer disconnects. After a
/// reconnect the peer has another id. A peer may choose its id, so an id does not prove who the peer is. A printed
/// value does not show the id: a peer that knows the next id that a ROUTER will assign can end the process.
public struct PeerID: Hashable, Sendable {
    /// The bytes of the id; an id that a ROUTER assigns has five bytes and needs no allocation.
    private enum Storage: Hashable, Sendable {
        /// Up to seven bytes in memory order; the eighth byte holds the number of bytes.
        case inline(UInt64)
        case allocated([UInt8])
    }

    private let storage: Storage

    /// Makes the id that a peer chose as its ``SocketOption/routingID``, or that ``SocketOption/nextConnectID`` gives it.
    ///
    /// - Parameter bytes: The bytes of the id.
    public init(bytes: some Sequence<UInt8>) { self = Array(bytes).withUnsafeBytes { PeerID($0) } }

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

    /// Whether the id has the form that a ROUTER assigns: five bytes, the first of them zero.
    ///
    /// If the id has another form, the peer chose it. An id of this form proves nothing: a peer may also choose such an
    /// id, and libzmq does not reveal that.
    public var isAssigned: Bool { assignedNumber != nil }

    /// The number in an id that the ROUTER assigned, unique for each connection; nil for an id of another form.
    package var assignedNumber: UInt32? {
        withUnsafeBytes { bytes in
            guard bytes.count == 5, bytes[0] == 0 else { return nil }
            return bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
        }
    }

    /// Makes the id that has this ``assignedNumber``.
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
    /// A fixed text without the id, because the id must not reach a log.
    public var description: String { "PeerID(redacted)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` does not show the id.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
