import CZeroMQ
import Synchronization

/// Unbinds endpoints and sees to it that they are free.
///
/// `zmq_unbind` only asks the I/O thread to close the listener, so binding the same port right after it fails now and
/// then. libzmq reports the closed descriptor to a monitor of the socket; that report is waited for, commonly for 50 µs.
struct ListenerRelease {
    /// How long the report may take; a report that does not come leaves only the port busy for a little longer.
    private static let patience: Int32 = 1000

    /// Numbers the monitors: libzmq gives the name of a closed one up later than it returns.
    private static let monitors = Atomic<UInt64>(0)

    let context: UnsafeMutableRawPointer
    let socket: OpenSocket

    func release(_ endpoints: [Endpoint]) {
        // The name of an inproc endpoint is given up at once, and without a report.
        let listeners = endpoints.filter { if case .inproc = $0.transport { false } else { true } }
        for endpoint in endpoints where !listeners.contains(endpoint) { zmq_unbind(socket.handle, endpoint.text) }
        guard !listeners.isEmpty else { return }
        guard let monitor = openMonitor() else {
            for endpoint in listeners { zmq_unbind(socket.handle, endpoint.text) }
            return
        }
        var awaited = Set<String>()
        for endpoint in listeners where zmq_unbind(socket.handle, endpoint.text) == 0 { awaited.insert(endpoint.text) }
        while !awaited.isEmpty, let address = closedAddress(monitor) { awaited.remove(address) }
        czmq_monitor_stop(socket.handle)
        zmq_close(monitor)
    }

    private func openMonitor() -> UnsafeMutableRawPointer? {
        let number = Self.monitors.wrappingAdd(1, ordering: .relaxed).newValue
        let name = "inproc://zeromq.listener-release.\(number)"
        guard zmq_socket_monitor(socket.handle, name, ZMQ_EVENT_CLOSED | ZMQ_EVENT_CLOSE_FAILED) == 0 else {
            return nil
        }
        guard let monitor = zmq_socket(context, ZMQ_PAIR) else {
            czmq_monitor_stop(socket.handle)
            return nil
        }
        guard czmq_set_int(monitor, ZMQ_LINGER, 0) == 0, czmq_set_int(monitor, ZMQ_RCVTIMEO, Self.patience) == 0,
            zmq_connect(monitor, name) == 0
        else {
            zmq_close(monitor)
            czmq_monitor_stop(socket.handle)
            return nil
        }
        return monitor
    }

    /// The address of the next closed descriptor, or nil when the patience is over.
    private func closedAddress(_ monitor: UnsafeMutableRawPointer) -> String? {
        // Two frames: the event's number and value, then the address.
        guard receiveText(monitor) != nil else { return nil }
        return receiveText(monitor)
    }

    private func receiveText(_ monitor: UnsafeMutableRawPointer) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
            var size = zmq_recv(monitor, buffer.baseAddress, buffer.count, 0)
            while size < 0, zmq_errno() == EINTR { size = zmq_recv(monitor, buffer.baseAddress, buffer.count, 0) }
            guard size >= 0 else { return nil }
            return String(decoding: buffer[..<min(Int(size), buffer.count)], as: UTF8.self)
        }
    }
}
