/// Which folder mentions types of which other folder.
///
/// A file at the top level stands for itself, together with those that are named after it (`BusWorker+Access`): it may use
/// everything below, and what is below may use the settings beside it.
struct FolderGraph {
    struct Edge: Hashable {
        let from, to: String
    }
    /// One mention of an edge, for the reader of a failure.
    struct Example {
        let file, type: String
    }
    private(set) var edges: [Edge: Example] = [:]

    init(of files: [SourceFile]) {
        var homes: [String: String] = [:]
        for file in files { for type in file.types { homes[type] = file.folder } }
        for file in files {
            for type in file.mentions.sorted() {
                guard let home = homes[type], home != file.folder else { continue }
                let edge = Edge(from: file.folder, to: home)
                if edges[edge] == nil { edges[edge] = Example(file: file.path, type: type) }
            }
        }
    }

    /// Takes these edges away.
    mutating func remove(_ removed: some Sequence<Edge>) { for edge in removed { edges[edge] = nil } }

    /// The edges of a circle; nil when there is none.
    func circle() -> [Edge]? {
        var left = Set(edges.keys)
        // What nothing leads to, and what leads nowhere, is in no circle.
        while true {
            let (sources, targets) = (Set(left.map(\.from)), Set(left.map(\.to)))
            let kept = left.filter { targets.contains($0.from) && sources.contains($0.to) }
            if kept.count == left.count { break }
            left = kept
        }
        guard var next = left.min(by: { ($0.from, $0.to) < ($1.from, $1.to) }) else { return nil }
        var path: [Edge] = []
        while !path.contains(where: { $0.from == next.from }) {
            path.append(next)
            guard let edge = left.filter({ $0.from == next.to }).min(by: { $0.to < $1.to }) else { return nil }
            next = edge
        }
        return Array(path.drop { $0.from != next.from })
    }

    /// A circle in words: who mentions which type where.
    func text(of circle: [Edge]) -> String {
        let lines = circle.map { "  \($0.from) → \($0.to): \(edges[$0]?.file ?? "") mentions \(edges[$0]?.type ?? "")" }
        return lines.joined(separator: "\n")
    }
}

extension SourceFile {
    /// The folder that it lies in; at the top level the name of the file, up to a `+`.
    var folder: String {
        let parts = path.split(separator: "/")
        return parts.count > 1
            ? parts.dropLast().joined(separator: "/") : String(path.prefix { $0 != "+" && $0 != "." })
    }
    /// Whether it lies at the top level.
    var isFace: Bool { !path.contains("/") }
}
