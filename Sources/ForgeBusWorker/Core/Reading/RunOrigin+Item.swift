import ForgeBusProtocol
import ForgeBusStore

extension RunOrigin {
    /// The origin as SHOW and histories tell it.
    var item: OriginItem {
        var item = OriginItem()
        switch cause {
        case .action(let run, let action): (item.run, item.action) = (RunID(run), action)
        case .monitor(let monitor, let action): (item.monitor, item.action) = (monitor.text, action)
        case .event(let word): item.event = word
        }
        item.causers = causers.sorted()
        return item
    }
}
