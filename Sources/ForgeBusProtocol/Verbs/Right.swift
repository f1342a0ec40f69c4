/// The rights of principals.
public enum Right: String, CaseIterable, Hashable, Sendable {
    /// NOTIFY, by topic.
    case notify
    /// RUN, by pipeline.
    case run
    /// COMPLETE and REJECT, by signal.
    case complete
    /// CANCEL and REDRIVE, by the run's pipeline.
    case cancel
    /// ATTACH, SHOW, LIST and WATCH, by item: `run.PIPELINE.RUN`, `signal.ID`, `monitor.NAME`, `pipeline.NAME`.
    case read
    /// MODE, by monitor.
    case mode
    /// ADMIN, by verb.
    case admin
}
