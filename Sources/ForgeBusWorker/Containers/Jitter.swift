/// Pseudo-random numbers that depend only on a name, so that a replay gets the same numbers.
struct Jitter {
    private var state: UInt64

    /// Starts the sequence of numbers for this name.
    init(of name: String) {
        // FNV-1a: a hash that is the same in every process.
        state = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// A duration from zero up to, but not including, `bound`; zero if `bound` is zero.
    mutating func duration(below bound: Duration) -> Duration {
        let share = Double(next() >> 11) / Double(1 << 53)
        return bound * share
    }

    /// The next number of SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
