extension [String: Set<String>] {
    /// All names that `names` require, directly or not, and `names` themselves.
    package func closure(of names: [String]) -> Set<String> {
        var (found, left) = (Set(names), names)
        while let name = left.popLast() {
            for required in self[name] ?? [] where found.insert(required).inserted { left.append(required) }
        }
        return found
    }
}
