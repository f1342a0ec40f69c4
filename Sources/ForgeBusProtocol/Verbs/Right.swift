/// The rights that a principal can have.
///
/// A grant gives a right for some names: those that one of its patterns matches and none of its denied patterns matches. Each
/// case says which names these are.
public enum Right: String, CaseIterable, Hashable, Sendable {
    /// Allows NOTIFY; the pattern matches topics.
    case notify
    /// Allows RUN; the pattern matches pipelines.
    case run
    /// Allows COMPLETE, REJECT and WITHDRAW; the pattern matches signal ids.
    case complete
    /// Allows CANCEL and REDRIVE; the pattern matches the run's pipeline.
    case cancel
    /// Allows ATTACH, SHOW, LIST and WATCH.
    ///
    /// The pattern matches items: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`, `pipeline.NAME`, `history.NAME` or
    /// `worker`. The right to read a run includes its history and its output.
    case read
    /// Allows MODE, PAUSE and RESUME.
    ///
    /// For MODE, the pattern matches monitors; for PAUSE and RESUME, it matches `monitor.NAME` or `pipeline.NAME`.
    case mode
    /// Allows ADMIN; the pattern matches the verbs of ADMIN.
    case admin
    /// Allows requests for other principals, with the attribute `as`.
    ///
    /// The pattern matches `RIGHT.PRINCIPAL`: the right that the request needs, and the principal in `as`. A wildcard in
    /// the place of the right never matches `mode` or `admin`. A principal with this right has no other right.
    case actAs = "act_as"

    /// The rights that a principal can use for itself: all except ``actAs``.
    package static let own = allCases.filter { $0 != .actAs }
}
