import Foundation
import Subprocess
import Testing

/// One of the example programs, as the build made it.
struct Example {
    private let path: String

    init(_ name: String) throws { path = try Self.products().appending(path: name).path }

    /// What the program prints when it is run as it stands; it must end well and complain of these things alone.
    func output(
        complaining expected: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Subprocess.run(
            .path(.init(path)),
            output: .string(limit: 64 * 1024),
            error: .string(limit: 64 * 1024)
        )
        #expect(result.terminationStatus == .exited(0), "\(result.standardError)", sourceLocation: sourceLocation)
        let complaints = result.standardError.split(separator: "\n").filter {
            $0.contains(" warning ") || $0.contains(" error ")
        }
        // How often one comes is not told: what failed is tried again.
        for sentence in expected {
            #expect(complaints.contains { $0.contains(sentence) }, "\(complaints)", sourceLocation: sourceLocation)
        }
        for complaint in complaints {
            #expect(expected.contains { complaint.contains($0) }, sourceLocation: sourceLocation)
        }
        return result.standardOutput
    }

    /// The folder with the test's own executable, which lies beside the programs it depends on.
    private static func products() throws -> URL {
        #if os(Linux)
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: executable).deletingLastPathComponent()
        #else
        return try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }).bundleURL
            .deletingLastPathComponent()
        #endif
    }
}
