/// Which module may import which of ours, and why.
///
/// This table alone decides; a new room needs a line here.
struct Room {
    let name: String
    let mayImport: Set<String>
    let reason: String

    static let all: [Room] = [
        Room(name: "ForgeLocks", mayImport: [], reason: "one lock for all rooms, and nothing but the lock"),
        Room(
            name: "ForgeOrchestrator",
            mayImport: ["ForgeLocks"],
            reason: "the idea outlives the transport; an app may use it alone"
        ),
        Room(
            name: "ForgeBusProtocol",
            mayImport: [],
            reason: "the words need no I/O and no clock: testable by bytes, portable to other languages"
        ),
        Room(
            name: "ForgeBusStore",
            mayImport: ["ForgeBusProtocol", "ForgeLocks"],
            reason: "storage knows entries, not sockets"
        ),
        Room(
            name: "ZeroMQ",
            mayImport: ["CZeroMQ", "ForgeLocks"],
            reason: "it carries frames and does not read them; usable by itself"
        ),
        Room(
            name: "ForgeBusClient",
            mayImport: ["ForgeBusProtocol", "ZeroMQ", "ForgeLocks"],
            reason: "a client builds without a worker"
        ),
        Room(
            name: "ForgeBusWorker",
            mayImport: ["ForgeOrchestrator", "ForgeBusProtocol", "ForgeBusStore", "ZeroMQ", "ForgeLocks"],
            reason: "the daemon chooses the store, the worker does not"
        ),
        Room(
            name: "ForgeBusSQLite",
            mayImport: ["ForgeBusStore", "ForgeBusProtocol", "CSQLite", "ForgeLocks"],
            reason: "one store need not link the other, and none knows a worker"
        ),
        Room(
            name: "ForgeBusPostgreSQL",
            mayImport: ["ForgeBusStore", "ForgeBusProtocol", "CPostgreSQL", "ForgeLocks"],
            reason: "one store need not link the other, and none knows a worker"
        ),
        Room(
            name: "ForgeBusConfiguration",
            mayImport: ["ForgeBusWorker", "ForgeOrchestrator", "ForgeBusProtocol", "CLeader"],
            reason: "an executable's code cannot be tested or reused"
        ),
        Room(
            name: "ForgeBusGateway",
            mayImport: ["ForgeBusClient", "ForgeBusProtocol", "ForgeLocks"],
            reason: "it is an ordinary client, and decides nothing"
        ),
        Room(
            name: "ForgeBusTesting",
            mayImport: [
                "ForgeBusWorker", "ForgeBusClient", "ForgeBusStore", "ForgeBusProtocol", "ForgeOrchestrator",
                "ForgeLocks",
            ],
            reason: "what users test with is the worker itself, and reaches it without a socket"
        ),
    ]

    /// Programs compose and start: they may import any room, and nobody imports them.
    static let programs: Set<String> = ["forgebus"]

    /// Written in C, they import nothing of ours.
    static let floors: Set<String> = ["CZeroMQ", "CSQLite", "CPostgreSQL", "CLeader"]
}
