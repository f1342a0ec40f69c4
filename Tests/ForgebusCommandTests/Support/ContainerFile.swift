import Foundation
import Testing

/// `deploy/Dockerfile`.
struct ContainerFile {
    static let path = "deploy/Dockerfile"
    private let instructions: [(name: String, rest: String)]

    init() throws {
        let lines = try DeployFiles.text(Self.path).split(separator: "\n").filter { !$0.hasPrefix("#") }
        instructions = lines.joined(separator: "\n").replacing("\\\n", with: " ").split(separator: "\n").map { line in
            let name = line.prefix { !$0.isWhitespace }
            return (String(name), line.dropFirst(name.count).trimmingCharacters(in: .whitespaces))
        }
    }

    func all(_ name: String) -> [String] { instructions.filter { $0.name == name }.map(\.rest) }

    /// The last instruction of a name: the one that counts.
    func last(_ name: String) throws -> String { try #require(all(name).last, "no \(name)") }

    /// The words of an instruction that is, or ends with, a list in JSON.
    func list(_ name: String) throws -> [String] {
        let text = try last(name)
        let start = try #require(text.firstIndex(of: "["))
        return try JSONDecoder().decode([String].self, from: Data(text[start...].utf8))
    }

    /// What is copied from the repository.
    var copied: [String] {
        all("COPY").map(DeployFiles.words).filter { !$0[0].hasPrefix("--from") }.flatMap { $0.dropLast() }
    }

    /// The Debian packages that are installed.
    var packages: [String] {
        all("RUN").flatMap { $0.matches(of: /apt-get install ([^&]+)/) }
            .flatMap { DeployFiles.words(String($0.1)) }.filter { !$0.hasPrefix("-") }
    }

    /// The variables of the image.
    var environment: [(key: String, value: String)] {
        all("ENV").flatMap(DeployFiles.words).compactMap { word in
            word.firstIndex(of: "=").map { (String(word[..<$0]), String(word[word.index(after: $0)...])) }
        }
    }
}
