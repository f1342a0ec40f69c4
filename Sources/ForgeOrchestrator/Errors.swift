/// The reasons that this module gives.
enum Errors {
    /// Why the replacement of an eligible action fails that is no longer registered when a run is resumed.
    static func noAction(_ id: ActionID) -> String {
        "The pipeline no longer has an action with the id \"\(id)\", so this run has failed. Begin a new run. Before you "
            + "resume other runs that still need this action, put the action back into the pipeline."
    }

    /// Why a required action has not run.
    static let requiredLater =
        "the required action comes later; give it a higher priority; if both have the same priority, register it first"
}
