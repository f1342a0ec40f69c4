// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as users have: it sees only what a user sees, and nobody who uses the package builds it.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatWarning("StrictLanguageFeatures", as: .error),
]

func ours(_ name: String) -> Target.Dependency { .product(name: name, package: "forge-orchestrator") }

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "forge-orchestrator", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0"),
    ],
    targets: [
        .target(name: "CFloor", linkerSettings: [.linkedLibrary("zmq"), .linkedLibrary("sqlite3")]),
        // The bodies of the measured actions stand in a module of their own, as a user's do.
        .target(name: "BenchActions", dependencies: [ours("ForgeOrchestrator")], swiftSettings: settings),
        .executableTarget(
            name: "forgebus-bench",
            dependencies: [
                "CFloor", "BenchActions", ours("ForgeOrchestrator"), ours("ForgeBusWorker"), ours("ForgeBusProtocol"),
                ours("ForgeBusSQLite"), ours("ForgeBusPostgreSQL"), ours("ForgeBusStore"), ours("ForgeBusFleet"),
                ours("ZeroMQ"),
                // The program itself, whose processes are measured: it is built beside.
                ours("forgebus"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ],
            swiftSettings: settings
        ),
    ]
)
