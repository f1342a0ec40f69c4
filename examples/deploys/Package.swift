// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Deploys",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "forge-orchestrator", path: "../..")
    ],
    targets: [
        .target(
            name: "Deploys",
            dependencies: [
                .product(name: "ForgeOrchestrator", package: "forge-orchestrator"),
                .product(name: "ForgeBusWorker", package: "forge-orchestrator"),
                .product(name: "ZeroMQ", package: "forge-orchestrator"),
            ]
        ),
        .testTarget(
            name: "DeploysTests",
            dependencies: [
                "Deploys",
                .product(name: "ForgeBusTesting", package: "forge-orchestrator"),
            ]
        ),
    ]
)
