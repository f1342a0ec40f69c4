import ForgeBusClient
import ForgeBusProtocol
import ForgeLocks
import ZeroMQ

/// The connections to the workers of a fleet, over one reactor.
///
/// One lock protects the clients.
final class FleetConnections: Sendable {
    typealias Make = @Sendable (Inventory.Worker, Reactor) throws(BusError) -> BusClient

    private let reactor: Reactor
    private let make: Make
    /// Whether a connection stays open when a conversation with its worker has ended.
    let keeps: Bool
    private let clients = Guarded<[Name: BusClient]>([:])

    init(for workers: Int, keeps: Bool, make: @escaping Make) throws(BusError) {
        ServerProcess.prepare()
        var options = ReactorOptions()
        // A socket whose events are read counts as three.
        options.maximumSockets = max(options.maximumSockets, 3 * workers + 16)
        do throws(ZeroMQError) {
            reactor = try Reactor(label: "forge-fleet", options: options)
        } catch {
            throw BusError(.unreachable, error.message, next: error.next)
        }
        (self.keeps, self.make) = (keeps, make)
    }

    /// The client of a worker; the first call makes it.
    func client(of worker: Inventory.Worker) throws(BusError) -> BusClient {
        try clients.withLock { clients throws(BusError) in
            if let client = clients[worker.name] { return client }
            let client = try make(worker, reactor)
            clients[worker.name] = client
            return client
        }
    }

    /// Closes the connection to a worker, so that what waits for its answer ends.
    func drop(_ worker: Name) async {
        await clients.withLock { $0.removeValue(forKey: worker) }?.close()
    }

    func close() async {
        let all = clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        for client in all { await client.close() }
        await reactor.shutDown(flushing: .zero)
    }
}
