/// The costs as they were measured with this bench, in instructions.
///
/// A change that moves one by more than the spread, at least 3 %, writes the new figures here and says why.
extension CountedHost {
    /// The cost before the core became one state (commit 4ea82bfb).
    ///
    /// The latest costs: NOTIFY 63,200, RUN 244,200, COMPLETE 99,500, RUN fsynced 559,600.
    var earlier: Double {
        switch self {
        case .notify: 67_700
        case .run: 251_100
        case .complete: 115_200
        case .storedRun: 592_100
        case .receive: .nan
        }
    }

    /// The highest ratio to the earlier cost that meets the aim.
    var target: Double? { self == .receive ? nil : 0.6 }
}
