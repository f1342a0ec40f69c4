// swift-tools-version: 6.2
import PackageDescription

/// Every target is built with these: what a module shows of another is said out loud, existentials are visible, and a
/// misspelt feature name stops the build instead of being ignored.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatWarning("StrictLanguageFeatures", as: .error),
]

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let instrumentation: Target.Dependency = .product(name: "Instrumentation", package: "swift-distributed-tracing")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let httpClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// A room of the house; it may import what it names here, which `deploy/test` has the compiler check.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program: it composes and starts, nobody imports it.
func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], excluding excluded: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: excluded, swiftSettings: settings)
}

/// What a process that hosts a worker and asks it needs.
let example: [Target.Dependency] = [
    "ForgeBusWorker", "ForgeBusClient", "ForgeBusProtocol", "ForgeOrchestrator", "ZeroMQ",
]

// Homebrew's headers are on no default path. Elsewhere they are, and Debian's pkg-config file adds flags that SwiftPM warns of.
#if os(macOS)
let libzmq: String? = "libzmq"
#else
let libzmq: String? = nil
#endif

let package = Package(
    name: "forge-orchestrator",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "ForgeOrchestrator", targets: ["ForgeOrchestrator"]),
        .library(name: "ForgeBusProtocol", targets: ["ForgeBusProtocol"]),
        .library(name: "ForgeBusStore", targets: ["ForgeBusStore"]),
        .library(name: "ZeroMQ", targets: ["ZeroMQ"]),
        .library(name: "ForgeBusClient", targets: ["ForgeBusClient"]),
        .library(name: "ForgeBusWorker", targets: ["ForgeBusWorker"]),
        .library(name: "ForgeBusFleet", targets: ["ForgeBusFleet"]),
        .library(name: "ForgeBusTesting", targets: ["ForgeBusTesting"]),
        .library(name: "ForgeBusSQLite", targets: ["ForgeBusSQLite"]),
        .library(name: "ForgeBusPostgreSQL", targets: ["ForgeBusPostgreSQL"]),
        .library(name: "ForgeBusConfiguration", targets: ["ForgeBusConfiguration"]),
        .library(name: "ForgeBusGateway", targets: ["ForgeBusGateway"]),
        .executable(name: "forgebus", targets: ["forgebus"]),
    ],
    traits: [
        .trait(name: "HTTP", description: "The gateway of the program forgebus; without it, forgebus has no SwiftNIO."),
        .trait(name: "PostgreSQL", description: "Stores in PostgreSQL; without it, nothing links libpq."),
        .trait(name: "Failpoints", description: "Named points at which a process can be made to die, for tests."),
        .default(enabledTraits: ["HTTP", "PostgreSQL"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-crypto", "4.0.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // The ground.
        room("ForgeLocks"),
        room("ForgeOrchestrator", ["ForgeLocks", logging]),
        room("ForgeBusProtocol"),
        room("ForgeBusStore", ["ForgeBusProtocol", "ForgeLocks", crypto]),
        .systemLibrary(
            name: "CZeroMQ",
            pkgConfig: libzmq,
            providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"]), .yum(["zeromq-devel"])]
        ),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        room("ZeroMQ", ["CZeroMQ", "ForgeLocks", lifecycle, deque, heap]),

        // The rooms.
        room(
            "ForgeBusClient",
            ["ForgeBusProtocol", "ZeroMQ", "ForgeLocks", logging, lifecycle, instrumentation, deque]
        ),
        room(
            "ForgeBusWorker",
            [
                "ForgeOrchestrator", "ForgeBusProtocol", "ForgeBusStore", "ZeroMQ", "ForgeLocks", logging, lifecycle,
                crypto, deque, heap, metrics,
            ]
        ),

        room("ForgeBusFleet", ["ForgeBusClient", "ForgeBusProtocol", "ZeroMQ", "ForgeLocks", logging]),
        room("ForgeBusSQLite", ["ForgeBusStore", "ForgeBusProtocol", "CSQLite", "ForgeLocks", grdb]),
        room(
            "ForgeBusPostgreSQL",
            [
                "ForgeBusStore", "ForgeBusProtocol", "ForgeLocks",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),

        // The upper floor.
        .target(name: "CLeader"),
        room(
            "ForgeBusConfiguration",
            [
                "ForgeBusWorker", "ForgeBusFleet", "ForgeOrchestrator", "ForgeBusProtocol", "CLeader", "ZeroMQ",
                logging,
                yams, configuration, subprocess,
            ]
        ),

        // A client of the bus for those who speak HTTP.
        .target(
            name: "ForgeBusGateway",
            dependencies: [
                "ForgeBusClient", "ForgeBusFleet", "ForgeBusProtocol", "ForgeLocks", "ZeroMQ", logging, lifecycle,
                crypto,
                hummingbird,
                hummingbirdCore, hummingbirdTLS, httpClient, mustache, httpTypes, nioCore, nioHTTP1, nioPosix, nioSSL,
                deque,
            ],
            // The pages of the console are part of the program.
            resources: [.embedInCode("Console/Assets")],
            swiftSettings: settings
        ),

        // What users test their own actions with.
        room(
            "ForgeBusTesting",
            [
                "ForgeBusFleet", "ForgeBusWorker", "ForgeBusStore", "ForgeBusProtocol", "ForgeOrchestrator",
                "ForgeLocks", "ZeroMQ", logging,
            ]
        ),

        // The programs.
        program(
            "forgebus",
            [
                "ForgeBusConfiguration", "ForgeBusWorker", "ForgeBusSQLite", "ForgeBusClient", "ForgeBusFleet",
                "ForgeBusProtocol", "ForgeBusStore", "ForgeLocks", "ZeroMQ", logging, lifecycle, signals, deque,
                arguments,
                .target(name: "ForgeBusGateway", condition: .when(traits: ["HTTP"])),
                .target(name: "ForgeBusPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),

        // The examples: programs a reader can copy.
        program("recheck", example, path: "examples/recheck"),
        program("approval", example, path: "examples/approval"),
        program("policy", example, path: "examples/policy"),
        // A package of its own, as users have: what is in it is built and tested here too, and as a package by `deploy/test --full`.
        .target(
            name: "Deploys",
            dependencies: ["ForgeBusWorker", "ForgeOrchestrator", "ZeroMQ"],
            path: "examples/deploys/Sources/Deploys",
            swiftSettings: settings
        ),
        .testTarget(
            name: "DeploysTests",
            dependencies: ["Deploys", "ForgeBusTesting"],
            path: "examples/deploys/Tests/DeploysTests",
            swiftSettings: settings
        ),

        // The tests.
        tests("HouseTests", ["TestSupport"]),
        tests("ForgeLocksTests", ["ForgeLocks"]),
        // What tests of several targets use.
        .target(
            name: "TestSupport",
            dependencies: ["ForgeLocks", logging],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        // What tests say of the faults they show.
        .target(name: "Scorecard", path: "Tests/Scorecard", swiftSettings: settings),
        tests("ForgeOrchestratorTests", ["TestSupport", "ForgeOrchestrator", "ForgeLocks", "Scorecard", logging]),
        // What an application writes that was written for the original: it sees nothing of the package, as one does not.
        .testTarget(
            name: "ForgeOrchestratorAppTests",
            dependencies: ["ForgeOrchestrator"],
            packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        tests("ForgeBusProtocolTests", ["TestSupport", "ForgeBusProtocol", "Scorecard"], excluding: ["golden.json"]),
        // What every store does, run by the tests of each.
        .target(
            name: "StoreBehaviour",
            dependencies: ["ForgeBusStore", "ForgeBusProtocol"],
            path: "Tests/StoreBehaviour",
            swiftSettings: settings
        ),
        tests("ForgeBusStoreTests", ["ForgeBusStore", "ForgeBusProtocol", "StoreBehaviour", "Scorecard"]),
        tests(
            "ForgeBusSQLiteTests",
            ["ForgeBusSQLite", "ForgeBusStore", "ForgeBusProtocol", "StoreBehaviour", "Scorecard", grdb, subprocess]
        ),
        tests(
            "ForgeBusPostgreSQLTests",
            [
                "ForgeBusPostgreSQL", "ForgeBusSQLite", "ForgeBusStore", "ForgeBusProtocol", "ForgeLocks",
                "StoreBehaviour",
                "Scorecard", subprocess,
            ]
        ),
        tests("ZeroMQTests", ["TestSupport", "ZeroMQ", "ForgeLocks", "Scorecard", lifecycle, logging]),
        tests(
            "ForgeBusClientTests",
            [
                "TestSupport", "ForgeBusClient", "ForgeBusProtocol", "ForgeBusWorker", "ZeroMQ", "ForgeLocks",
                "Scorecard", logging,
                lifecycle,
                instrumentation,
            ]
        ),
        tests(
            "ForgeBusWorkerTests",
            [
                "TestSupport", "ForgeBusWorker", "ForgeBusClient", "ForgeBusProtocol", "ForgeBusPostgreSQL",
                "ForgeBusSQLite",
                "ForgeBusStore", "ForgeOrchestrator", "ZeroMQ", "ForgeLocks", "Scorecard", lifecycle, logging, deque,
                metrics,
                metricsTestKit, subprocess,
            ]
        ),
        tests(
            "ForgeBusTestingTests",
            [
                "TestSupport", "ForgeBusTesting", "ForgeBusSQLite", "ForgeBusWorker", "ForgeBusStore",
                "ForgeBusProtocol",
                "ForgeOrchestrator", "ForgeLocks",
            ]
        ),
        tests(
            "ForgeBusFleetTests",
            [
                "TestSupport", "ForgeBusFleet", "ForgeBusTesting", "ForgeBusClient", "ForgeBusProtocol",
                "ForgeBusStore", "ForgeBusWorker", "ForgeOrchestrator", "ZeroMQ", "ForgeLocks", "Scorecard", logging,
            ]
        ),
        tests(
            "ForgeBusConfigurationTests",
            [
                "TestSupport", "ForgeBusConfiguration", "ForgeBusFleet", "ForgeBusWorker", "ForgeBusClient",
                "ForgeBusProtocol",
                "ForgeOrchestrator",
                "ZeroMQ", logging,
            ]
        ),
        tests(
            "ForgeBusGatewayTests",
            [
                "TestSupport", "ForgeBusGateway", "ForgeBusFleet", "ForgeBusTesting", "ForgeBusWorker",
                "ForgeBusProtocol", "ForgeOrchestrator", "ForgeLocks", "ZeroMQ", httpTypes, logging, lifecycle,
            ]
        ),
        tests(
            "ForgebusCommandTests",
            [
                "TestSupport", "forgebus", "ForgeBusClient", "ForgeBusConfiguration", "ForgeBusFleet",
                "ForgeBusProtocol", "ForgeBusStore", "ForgeLocks", "ZeroMQ", "Scorecard", logging, subprocess,
            ]
        ),
        // The next two build what they run and compile.
        tests("ExampleTests", ["recheck", "approval", "policy", subprocess]),
        tests(
            "DocumentationTests",
            [
                "TestSupport", "ForgeOrchestrator", "ForgeBusClient", "ForgeBusConfiguration", "ForgeBusFleet",
                "ForgeBusProtocol", "ForgeBusSQLite", "ForgeBusPostgreSQL", "ForgeBusStore", "ForgeBusGateway",
                "ForgeBusTesting", "ForgeBusWorker", "ZeroMQ", subprocess,
            ]
        ),
    ]
)

// The long checks of deploy/test build the package several times. FORGE_TARGETS, such as "ZeroMQTests", leaves out the
// targets that those named do not need.
var next = (Context.environment["FORGE_TARGETS"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
if !next.isEmpty {
    var needed: Set<String> = []
    while let name = next.popLast() {
        guard needed.insert(name).inserted else { continue }
        // A misspelt name would leave tests out, and nothing would show that.
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("There is no target \(name).")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): next.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !needed.isSuperset(of: targets)
    }
}
