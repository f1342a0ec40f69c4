// swift-tools-version: 6.2
import PackageDescription

let names = ["lazy-pirate", "broker", "last-value-cache", "ironhouse"]

let package = Package(
    name: "zeromq-guide",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "forge-orchestrator", path: "../..")],
    targets: names.map { name in
        .executableTarget(name: name, dependencies: [.product(name: "ZeroMQ", package: "forge-orchestrator")])
    }
)
