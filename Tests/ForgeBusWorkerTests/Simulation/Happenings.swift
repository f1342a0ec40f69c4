/// What has to happen in the simulated bus for its schedules to be worth something, beside events meeting states.
///
/// The words are those that ``BusRules`` notes them under.
enum Happenings {
    /// Everything of interest, as rows of the coverage table.
    static let all = errors + answers + waits + monitors

    /// What may happen too, and is too rare to be counted on: a test of its own sees it.
    static let rare = [
        "error busy, attached", "error busy, admin", "took the new rule", "many are several", "vote not counted",
    ]

    /// Each error that the core can answer a request with; `busy` once for each limit.
    static let errors = [
        "error bad_seed", "error busy, early", "error busy, evaluations", "error busy, ledger", "error busy, queued",
        "error busy, unfinished", "error busy, suspended", "error busy, seeds", "error busy, results",
        "error busy, watches", "error busy, disk", "error count_differs", "error busy, outstanding",
        "error store_failed", "error draining",
        "error forbidden",
        "error id_conflict", "error id_taken", "error key_held",
        "error not_durable", "error not_parked", "error not_ready", "error not_rejectable", "error unknown_monitor",
        "error unknown_pipeline", "error unknown_run", "error unknown_signal", "error unknown_verb",
    ]

    /// Each other answer, by what it says; ends of runs, verdicts and states among them.
    static let answers = [
        "accepted", "accepted notification", "replayed",
        "result cancelled", "result completed", "result failed", "result lost", "result timed_out",
        "result, abandoned", "result, attached",
        "verdict buffered", "verdict closed", "verdict conflict", "verdict counted", "verdict delivered",
        "verdict duplicate",
        "verdict expired", "verdict forbidden", "verdict unknown",
        "ok cancelled", "ok completed", "ok credit_ended", "ok done", "ok failed", "ok lost", "ok parked", "ok queued",
        "ok paused", "ok resumed", "ok retrying", "ok running", "ok set", "ok, let go", "ok stopping", "ok timed_out",
        "ok unwatched",
        "ok waiting", "ok withdrawn", "ok nothing", "ok decided",
        "progress finished", "progress parked", "progress redriven", "progress resumed", "progress retrying",
        "progress started", "progress waiting",
        "event", "event after a gap", "event after the watch", "room after the gone",
        "another under a used id", "kept from another",
    ]

    /// Each end of a wait.
    static let waits = [
        "wait approved", "wait closed", "wait expired", "wait rejected", "wait proceeds", "wait refused, busy",
        "wait refused, id_taken", "went on", "went on, over", "history", "crash", "left", "parked after crashes",
        "overdue, and not parked",
        "parked under another definition", "executed on with a failure",
        "through when its worker died",
        "began again",
        "went on again", "over before it went on again", "gate after a restart", "nobody resumed", "rest dropped",
        "announced no more", "wait forbidden", "evaluation forbidden", "given up", "texts", "went on with its failure",
        "decided early",
        "voted early", "decided by votes",
        "withdrew a vote", "escalated",
        "cancelled many", "redriven many", "superseded at rest", "superseded before it began",
        "went on though something behind it changed",
    ]

    /// Each way in which a monitor's cycle is owed and told of, and what else is worth a row.
    static let monitors = [
        "cycle", "published", "missed", "evaluated", "evaluated excluded", "evaluated failed", "evaluated overdue",
        "evaluated ran", "evaluated, pending", "key unknown", "drained", "paused monitor", "paused pipeline",
        "resumed monitor", "resumed pipeline",
    ]
}
