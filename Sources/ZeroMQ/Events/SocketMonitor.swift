import CZeroMQ
import Synchronization

/// The receiving end of libzmq's reports about one socket.
///
/// The reactor reads the reports even without an event handler, because libzmq stores unread reports without a limit.
/// Owned by the reactor thread.
final class SocketMonitor {
    /// Makes monitor names unique, because libzmq frees the name of a closed monitor only some time after `close()`.
    private static let numbers = Atomic<UInt64>(0)

    let handle: UnsafeMutableRawPointer
    private let socket: UnsafeMutableRawPointer

    /// The error number of the latest failed bind.
    private var bindError: Int32?

    /// Starts libzmq's reports about a socket.
    ///
    /// - Throws: ``ZeroMQError`` with code `too_many_descriptors`.
    init(of socket: UnsafeMutableRawPointer, in context: UnsafeMutableRawPointer) throws(ZeroMQError) {
        let name = "inproc://zeromq.monitor.\(Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue)"
        guard let handle = zmq_socket(context, ZMQ_PAIR) else {
            throw Errors.tooManyDescriptors("A socket's events could not be observed")
        }
        guard zmq_socket_monitor(socket, name, ZMQ_EVENT_ALL) == 0 else {
            zmq_close(handle)
            throw Errors.tooManyDescriptors("A socket's events could not be observed")
        }
        // The queue of reports has no limit, so that the I/O thread never waits for the reactor.
        guard czmq_set_int(handle, ZMQ_RCVHWM, 0) == 0, czmq_set_int(handle, ZMQ_LINGER, 0) == 0,
            zmq_connect(handle, name) == 0
        else {
            czmq_monitor_stop(socket)
            zmq_close(handle)
            throw Errors.tooManyDescriptors("A socket's events could not be observed")
        }
        self.socket = socket
        self.handle = handle
    }

    /// Ends the reports; call this method once, before the socket is closed.
    func close() {
        czmq_monitor_stop(socket)
        zmq_close(handle)
    }

    /// Returns and clears the error number of the latest failed bind.
    func takeBindError() -> Int32? {
        defer { bindError = nil }
        return bindError
    }

    /// Takes the next waiting report as an event.
    ///
    /// - Returns: The event; nil if no report waits, or if the report is malformed or says that the reports have ended.
    func next(_ reader: FrameReader) -> SocketEvent? {
        // Two frames: the event's number and value, then the address.
        guard let message = reader.message(from: handle), message.count == 2, message[0].count == 6 else { return nil }
        let report = Report(message[0])
        if report.number == ZMQ_EVENT_BIND_FAILED { bindError = report.value }
        return SocketEvent(report, endpoint: String(decoding: message[1], as: UTF8.self))
    }

    /// Waits for a report.
    ///
    /// - Returns: Whether a report is waiting; false after the timeout.
    func wait(milliseconds: Int) -> Bool {
        var item = zmq_pollitem_t(socket: handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        var result = zmq_poll(&item, 1, milliseconds)
        while result < 0, zmq_errno() == EINTR { result = zmq_poll(&item, 1, milliseconds) }
        return result > 0
    }
}

/// The first frame of a report: a number of 16 bits and a value of 32 bits, in the byte order of this machine.
private struct Report {
    let number: Int32
    let value: Int32

    /// Reads the number and the value from a frame of six bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        (number, value) = bytes.withUnsafeBytes { bytes in
            (Int32(bytes.loadUnaligned(as: UInt16.self)), bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self))
        }
    }
}

extension SocketEvent {
    /// Makes an event from a report; nil for the last report, which says that the reports have ended.
    fileprivate init?(_ report: Report, endpoint: String) {
        let value = report.value
        switch report.number {
        case ZMQ_EVENT_MONITOR_STOPPED: return nil
        case ZMQ_EVENT_LISTENING: self = .listening(endpoint: endpoint)
        case ZMQ_EVENT_BIND_FAILED: self = .bindFailed(endpoint: endpoint, reason: Errors.text(value))
        case ZMQ_EVENT_ACCEPTED: self = .accepted(endpoint: endpoint)
        case ZMQ_EVENT_ACCEPT_FAILED: self = .acceptFailed(endpoint: endpoint, AcceptFailure(number: value))
        case ZMQ_EVENT_CONNECTED: self = .connected(endpoint: endpoint)
        case ZMQ_EVENT_CONNECT_DELAYED: self = .connectDelayed(endpoint: endpoint)
        case ZMQ_EVENT_CONNECT_RETRIED:
            self = .connectRetried(endpoint: endpoint, after: .milliseconds(Int64(value)))
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .handshakeSucceeded(endpoint: endpoint)
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            self = .handshakeFailed(endpoint: endpoint, .refused(status: Int(value)))
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            self = .handshakeFailed(endpoint: endpoint, .protocolError(number: Int(value)))
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            self = .handshakeFailed(endpoint: endpoint, .ended(reason: Errors.text(value)))
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected(endpoint: endpoint)
        case ZMQ_EVENT_CLOSED, ZMQ_EVENT_CLOSE_FAILED: self = .closed(endpoint: endpoint)
        default: self = .other(number: Int(report.number), endpoint: endpoint)
        }
    }
}

extension AcceptFailure {
    fileprivate init(number: Int32) {
        isExhaustion = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number)
        reason = Errors.text(number)
    }
}
