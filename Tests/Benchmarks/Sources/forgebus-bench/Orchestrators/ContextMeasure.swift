import BenchActions
import ForgeOrchestrator

/// Compares reads of a context of ten values with reads of a `PlainContext`.
///
/// For a read with the wrong type, the target is only 0.8 times the speed, because the context also checks whether the
/// stored value represents a value of the requested type.
func measureContextReads(pairs: Int = 5, reads: Int = 200_000) -> [OrchestratorComparison] {
    let (ours, plain) = (PipelineContext(), PlainContext())
    for number in 0..<7 {
        ours.set("value-\(number)", number)
        plain.set("value-\(number)", number)
    }
    ours.set("count", 42)
    plain.set("count", 42)
    ours.set("user", "ada")
    plain.set("user", "ada")
    ours.set("counts", [1, 2, 3])
    plain.set("counts", [1, 2, 3])
    return [
        compare("context.get of an Int", pairs, reads, { ours.get("count") == 42 }, { plain.get("count") == 42 }),
        compare("context.get of a String", pairs, reads, { ours.get("user") == "ada" }, { plain.get("user") == "ada" }),
        compare(
            "context.get of an [Int]",
            pairs,
            reads,
            { (ours.get("counts") as [Int]?)?.count == 3 },
            { (plain.get("counts") as [Int]?)?.count == 3 }
        ),
        compare(
            "context.get of an Int as a String",
            pairs,
            reads,
            { (ours.get("count") as String?) == nil },
            { (plain.get("count") as String?) == nil },
            target: 0.8
        ),
        compare(
            "context.get of an [Int] as a [String]",
            pairs,
            reads,
            { (ours.get("counts") as [String]?) == nil },
            { (plain.get("counts") as [String]?) == nil },
            target: 0.8
        ),
    ]
}

private func compare(
    _ name: String,
    _ pairs: Int,
    _ reads: Int,
    _ ours: () -> Bool,
    _ plain: () -> Bool,
    target: Double = 1
) -> OrchestratorComparison {
    var comparison = OrchestratorComparison(name: name, target: target)
    for pair in 0...pairs {
        let sample = (ours: time(reads, ours), plain: time(reads, plain))
        // The first pair warms up.
        if pair > 0 { comparison.add(sample) }
    }
    return comparison
}

/// The average time of one read, in nanoseconds.
private func time(_ count: Int, _ read: () -> Bool) -> Double {
    let start = ContinuousClock.now
    for _ in 0..<count where !read() { fatalError("a read returned the wrong value") }
    return (ContinuousClock.now - start) / .nanoseconds(count)
}
