public import ForgeBusProtocol

/// What an ended run still shows beside its result, such as its seeds and the decisions on its gates.
///
/// A store reads these texts only when somebody asks for them: ``BusStore/load()`` does not return them.
public struct RunTexts: Hashable, Sendable {
    /// The run's id.
    public var run: Name
    /// The texts, as members of the answer to SHOW.
    public var members: JSONObject

    /// Creates the texts of a run.
    public init(run: Name, members: JSONObject) {
        self.run = run
        self.members = members
    }
}
